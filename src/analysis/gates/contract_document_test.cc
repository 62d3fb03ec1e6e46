#include "analysis/gates/contract_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace cboard::analysis {
namespace {

using testing::FailsSaying;
using ::testing::Optional;
using testing::Succeeds;

TEST(ParseDocument, KnowsWhereEverythingStands) {
  const auto root = ParseDocument("a: 1\nb:\n  - x\n  - {c: \"2\"}\nd:\n");
  ASSERT_THAT(root, Succeeds());
  EXPECT_THAT(root->Find("a")->Number(), Optional(1.0));
  const DocumentNode* const b = root->Find("b");
  ASSERT_EQ(b->items.size(), 2u);
  EXPECT_EQ(b->items[0].place(), "line 3, column 5");
  const DocumentNode* const c = b->items[1].Find("c");
  EXPECT_EQ(c->place(), "line 4, column 9");
  EXPECT_EQ(c->Number(), std::nullopt);  // In quotes.
  EXPECT_EQ(root->Find("d"), nullptr);   // The text has no value here.
  EXPECT_EQ(root->Find("e"), nullptr);
}

TEST(ParseDocument, ReadsJsonAsProgramsWriteIt) {
  const auto root = ParseDocument(
      "\xEF\xBB\xBF{\n\t\"a\":1E2,\"b\":[true,null,-0.5],\r\n\t\"c\\/\\u00e9\":{}}\n");
  ASSERT_THAT(root, Succeeds());
  EXPECT_THAT(root->Find("a")->Number(), Optional(100.0));
  EXPECT_EQ(root->Find("b")->items.size(), 3u);
  EXPECT_TRUE(root->Find("c/\u00e9")->is_map());
}

TEST(ParseDocument, ReadsTheTwoEscapesOfOneCharacter) {
  const auto root = ParseDocument(R"({"a": "\ud83d\ude00 \u00e9 \\ud83d\\ude00"})");
  ASSERT_THAT(root, Succeeds());
  EXPECT_EQ(root->Find("a")->text, "\U0001F600 \u00e9 \\ud83d\\ude00");
  for (const char* half :
       {R"({"a": "\ud83d"})", R"({"a": "\ud83d\u0041"})", R"({"a": "\ud83d\u)"}) {
    EXPECT_THAT(ParseDocument(half), FailsSaying(ErrorCode::kInvalidArgument, "line 1")) << half;
  }
}

TEST(ParseDocument, TakesNumbersOnly) {
  const auto number = [](const char* text) { return ParseDocument(text)->Number(); };
  EXPECT_THAT(number("+5"), Optional(5.0));
  EXPECT_THAT(number("1e-3"), Optional(0.001));
  for (const char* text :
       {"nan", ".nan", "inf", "-inf", "0x10", "1%", "1 2", "1e999", "'1'", "~"}) {
    EXPECT_EQ(number(text), std::nullopt) << text;
  }
}

TEST(ParseDocument, SaysWhatIsWrongAndWhere) {
  const auto fails = [](const std::string& text, const char* saying) {
    EXPECT_THAT(ParseDocument(text), FailsSaying(ErrorCode::kInvalidArgument, saying)) << text;
  };
  fails("a: 1\n  b: 2", "line 2");
  fails("{\"a\": 1", "line 1");
  fails("a: 1\na: 2", "line 2, column 1: the key 'a' appears twice");
  fails("[a]: 1", "a key of the contract must be a text, not a list");
  fails("~: 1", "a key of the contract must be a text, not nothing");
  fails("a: 1\n---\nb: 2", "a second YAML document begins");
  fails("a: &x 1\nb: *x", "line 2, column 4: YAML aliases are not supported");
  fails("a: *x", "needs quotes, such as '*conv'");
  fails("a: *", "needs quotes");
  fails("a:\n\tb: 1", "line 2, column 3: illegal map value; the line begins with a tab");
}

TEST(ParseDocument, RefusesWhatWouldTakeMuchMemory) {
  const auto fails = [](const std::string& text, const char* saying) {
    EXPECT_THAT(ParseDocument(text), FailsSaying(ErrorCode::kInvalidArgument, saying));
  };
  fails(std::string((256 << 10) + 1, 'a'), "but the maximum is 256 KiB");
  fails(std::string(256 << 10, '['), "more than 32 levels");
  fails(std::string(256 << 10, '{'), "more than 32 levels");
  std::string wide = "[";
  for (int i = 0; i < 60'000; ++i) wide += "1,";
  fails(wide + "1]", "more than 50,000 values");
  // The "billion laughs" attack: aliases that expand exponentially.
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    bomb += std::string(1, c) + ": &" + c + " [*" + before + ",*" + before + "]\n";
  }
  fails(bomb, "YAML aliases are not supported");
}

}  // namespace
}  // namespace cboard::analysis
