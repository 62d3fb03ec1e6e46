#include "cboard/base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cboard {
namespace {

TEST(JsonWriter, PlacesCommasBetweenElementsOnly) {
  JsonWriter json;
  json.BeginObject().Key("a").BeginArray().Value(1).Value(-2).BeginObject().EndObject().EndArray();
  json.Key("b").Null().Key("c").Value(true).EndObject();
  EXPECT_EQ(json.text(), R"({"a":[1,-2,{}],"b":null,"c":true})");
}

TEST(JsonWriter, EscapesWhatWouldEndAString) {
  JsonWriter json;
  json.Value("a\"b\\c\n\x01");
  EXPECT_EQ(json.text(), R"("a\"b\\c\n\u0001")");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  JsonWriter json;
  json.Value("\xff");
  EXPECT_EQ(json.text(), "\"\xEF\xBF\xBD\"");
}

TEST(JsonWriter, WritesTheShortestNumberThatReadsBack) {
  JsonWriter json;
  json.BeginArray().Value(0.1).Value(0.1f).Value(std::uint64_t{18446744073709551615u}).EndArray();
  EXPECT_EQ(json.text(), "[0.1,0.1,18446744073709551615]");
}

TEST(JsonWriter, SpellsNonFiniteNumbersAsAsked) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  JsonWriter as_string;
  as_string.BeginArray().Value(nan).Value(infinity).Value(-infinity).EndArray();
  EXPECT_EQ(as_string.text(), R"(["NaN","Infinity","-Infinity"])");
  JsonWriter as_null(NonFinite::kAsNull);
  as_null.Value(nan);
  EXPECT_EQ(as_null.text(), "null");
  JsonWriter as_literal(NonFinite::kAsLiteral);
  as_literal.Value(-infinity);
  EXPECT_EQ(as_literal.text(), "-Infinity");
}

}  // namespace
}  // namespace cboard
