#include "compression/benchmarks/json_repair.h"

#include <gmock/gmock.h>

#include <cmath>

#include "testing/matchers.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::Succeeds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Mistake {
  const char* name;
  std::string text;
  const char* message;
};

// Each case has a name, so that a failure names it.
const Mistake kMistakes[] = {
    {"Empty", "", "f.json:1:1: expected a value, found the end of the file"},
    {"OnlySpace", " \n ", "f.json:2:2: expected a value, found the end"},
    {"MissingColon", "{\n  \"a\" 1}", "f.json:2:7: expected ':' after the key, found '1}'"},
    {"MissingComma", "{\"a\": 1 \"b\": 2}", "f.json:1:9: expected ',' or '}', found"},
    {"MissingCommaInArray", "[1 2]", "f.json:1:4: expected ',' or ']', found '2]'"},
    {"TrailingComma", "{\"a\": 1,}", "f.json:1:9: expected a key in double quotes, found '}'"},
    {"TrailingCommaInArray", "[1,]", "f.json:1:4: expected a value, found ']'"},
    {"SingleQuotes", "{'a': 1}", "f.json:1:2: expected a key in double quotes, found"},
    {"UnclosedObject", "{\"a\": 1", "f.json:1:8: expected ',' or '}', found the end of the file"},
    {"UnclosedString", "{\"a", "expected a closing quote for the string that starts in line 1"},
    {"WrongBracket", "{\"a\": [1}", "f.json:1:9: expected ',' or ']', found '}'"},
    {"TwoDocuments", "{} {}", "f.json:1:4: expected nothing after the end of the document"},
    {"LineBreakInString", "\"a\nb\"", "f.json:1:3: expected the end of the string"},
    {"BadEscape", "\"\\x\"", "f.json:1:2: expected an escape such as"},
    {"BadUnicodeEscape", "\"\\u12G4\"", "f.json:1:2: expected \\u and four hexadecimal digits"},
    {"LeadingZero", "[01]", "f.json:1:2: expected a number without leading zeros"},
    {"LonePoint", "[1.]", "f.json:1:4: expected a digit after the decimal point"},
    {"LoneMinus", "[-]", "f.json:1:3: expected a digit, found ']'"},
    {"EmptyExponent", "[1e]", "f.json:1:4: expected a digit of the exponent"},
    {"UnknownWord", "[None]", "f.json:1:2: expected a value or ']', found 'None]'"},
    {"Comment", "{} // x", "f.json:1:4: expected nothing after the end"},
    {"ColumnsCountCharacters", "[\"\xe2\x82\xac\xe2\x82\xac\" x]",
     "f.json:1:7: expected ',' or ']'"},
};

TEST(RepairJson, SaysWhereAndWhatWasExpected) {
  for (const Mistake& mistake : kMistakes) {
    std::string text = mistake.text;
    EXPECT_THAT(RepairJson(text, "f.json"),
                FailsSaying(ErrorCode::kInvalidArgument, mistake.message))
        << mistake.name;
  }
}

TEST(RepairJson, LeavesStandardJsonAlone) {
  const std::string text =
      "{\"a\": [1, -2.5e-3, true, false, null, \"\\u00e9\\ud83d\\ude00\\n\"], \"b\": {}, \"c\": "
      "[]}\n";
  std::string repaired = text;
  EXPECT_THAT(*RepairJson(repaired, "f.json"), IsEmpty());
  EXPECT_EQ(repaired, text);
}

TEST(RepairJson, MarksNumbersThatJsonCannotExpress) {
  std::string text = "[NaN, Infinity,\n-Infinity, 1e999, -1e999, 1e-999]";
  const auto repairs = RepairJson(text, "f.json");
  ASSERT_THAT(repairs, Succeeds());
  EXPECT_THAT(*repairs, ElementsAre("5 numbers are NaN or infinite and left out of ratios; the "
                                    "first is in line 1, column 2"));
  EXPECT_EQ(text, "[\"\x7f\", \"\x7f+++++\",\n\"\x7f------\", \"\x7f++\", \"\x7f---\", 1e-999]");
  EXPECT_TRUE(std::isnan(*NonFiniteNumber("\x7f")));
  EXPECT_EQ(NonFiniteNumber("\x7f+++++"), INFINITY);
  EXPECT_EQ(NonFiniteNumber("\x7f---"), -INFINITY);
  EXPECT_EQ(NonFiniteNumber("12"), std::nullopt);
  EXPECT_EQ(NonFiniteNumber(""), std::nullopt);
}

TEST(RepairJson, RoundsIntegersBeyond64Bits) {
  std::string text = "[18446744073709551615, 18446744073709551616, -99999999999999999999]";
  ASSERT_THAT(RepairJson(text, "f.json"), Succeeds());
  EXPECT_EQ(text, "[18446744073709551615, 18446744073709551e03, -99999999999999999e03]");
}

TEST(RepairJson, ReplacesBytesAndEscapesThatAreNoCharacters) {
  std::string text = "[\"a\xff\xc3\", \"\\ud800x\", \"\\ud800\\ud83d\\ude00\"]";
  const auto repairs = RepairJson(text, "f.json");
  ASSERT_THAT(repairs, Succeeds());
  EXPECT_EQ(text, "[\"a??\", \"\\ufffdx\", \"\\ufffd\\ud83d\\ude00\"]");
  EXPECT_EQ(repairs->size(), 2u);
}

TEST(RepairJson, RefusesNestingThatNoBenchmarkHas) {
  std::string fine = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_THAT(RepairJson(fine, "f.json"), Succeeds());
  std::string deep(1'000'000, '[');
  EXPECT_THAT(RepairJson(deep, "f.json"),
              FailsSaying(ErrorCode::kInvalidArgument, "at most 500 levels of brackets"));
}

TEST(RepairJson, FindsEveryCutOfADocument) {
  const std::string whole = "{\"a\": [1.5e3, \"\\u00e9\", NaN, true], \"b\": {\"c\": null}}";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::string cut = whole.substr(0, length);
    EXPECT_THAT(RepairJson(cut, "f.json"), FailsWith(ErrorCode::kInvalidArgument)) << cut;
  }
}

}  // namespace
}  // namespace cboard::compression
