#include "parquet/column_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/special_values.h"

namespace cboard::parquet {
namespace {

using namespace std::string_literals;  // NOLINT: for ""s with zero bytes.
using cboard::testing::kInfinity;
using cboard::testing::kNan;

ChunkContent Doubles(const std::vector<double>& numbers) {
  const auto values = ColumnValues::Make(ColumnType::kDouble);
  values->Append(std::span(numbers), 0, numbers.size());
  return values->Take();
}

std::vector<double> BoundsOf(const std::vector<double>& numbers) {
  const ChunkContent content = Doubles(numbers);
  if (!content.bounds) return {};
  return {LoadLittleEndian<double>(AsBytes(content.bounds->least)),
          LoadLittleEndian<double>(AsBytes(content.bounds->greatest))};
}

TEST(ColumnValues, NumbersAreTheirBytes) {
  const std::vector<std::int64_t> steps = {7, -1, 2};
  const auto values = ColumnValues::Make(ColumnType::kInt64);
  values->Append(std::span(steps), 1, 2);  // Not the first.
  const ChunkContent content = values->Take();
  EXPECT_EQ(content.value_count, 2u);
  EXPECT_EQ(content.values, "\xff\xff\xff\xff\xff\xff\xff\xff\x02\0\0\0\0\0\0\0"s);
  EXPECT_EQ(content.dictionary_count, 0u);
  EXPECT_EQ(content.bounds->least, content.values.substr(0, 8));
  EXPECT_EQ(content.bounds->greatest, content.values.substr(8));
}

TEST(ColumnValues, BoundsMayBeInfinite) {
  EXPECT_EQ(BoundsOf({2, -kInfinity, 1}), (std::vector<double>{-kInfinity, 2}));
  EXPECT_EQ(BoundsOf({kInfinity}), (std::vector<double>{kInfinity, kInfinity}));
}

TEST(ColumnValues, NanLeavesNoBounds) {
  EXPECT_EQ(BoundsOf({1, kNan, 2}), std::vector<double>{});
  EXPECT_EQ(BoundsOf({kNan}), std::vector<double>{});
}

TEST(ColumnValues, BoundsHoldForBothZeros) {
  for (const double zero : {0.0, -0.0}) {
    const std::vector<double> bounds = BoundsOf({zero});
    ASSERT_EQ(bounds.size(), 2u);
    EXPECT_TRUE(std::signbit(bounds[0]));
    EXPECT_FALSE(std::signbit(bounds[1]));
  }
}

TEST(ColumnValues, TextsAreStoredOnceEach) {
  const auto values = ColumnValues::Make(ColumnType::kText);
  for (const auto& [text, count] : {std::pair("b", 8), std::pair("a", 9), std::pair("b", 10)}) {
    values->Append(text, 0, static_cast<std::size_t>(count));
  }
  EXPECT_EQ(values->text_bytes(), 10u);
  const ChunkContent content = values->Take();
  EXPECT_EQ(content.value_count, 27u);
  EXPECT_EQ(content.dictionary_count, 2u);
  EXPECT_EQ(content.dictionary, "\x01\0\0\0b\x01\0\0\0a"s);
  EXPECT_EQ(content.values, "\x01\x10\x00\x12\x01\x14\x00"s);  // One bit; three runs.
  EXPECT_EQ(content.bounds->least, "a");
  EXPECT_EQ(content.bounds->greatest, "b");
}

TEST(ColumnValues, TextsAreOrderedByTheirBytes) {
  const auto values = ColumnValues::Make(ColumnType::kText);
  for (const char* text : {"z", "é", "\xff"}) values->Append(text, 0, 1);
  const ChunkContent content = values->Take();
  EXPECT_EQ(content.bounds->least, "z");
  EXPECT_EQ(content.bounds->greatest, "\xef\xbf\xbd");  // Invalid UTF-8 was replaced.
}

TEST(ColumnValues, LongTextsLeaveNoBounds) {
  const auto values = ColumnValues::Make(ColumnType::kText);
  const std::string text(5000, 'x');
  values->Append(text, 0, 1);
  EXPECT_FALSE(values->Take().bounds);
}

TEST(ColumnValues, BeginAnewWhenTheyAreTaken) {
  const auto texts = ColumnValues::Make(ColumnType::kText);
  texts->Append("a", 0, 1);
  texts->Take();
  EXPECT_EQ(texts->text_bytes(), 0u);
  texts->Append("b", 0, 1);
  EXPECT_EQ(texts->Take().bounds->least, "b");
  const auto numbers = ColumnValues::Make(ColumnType::kDouble);
  const std::vector<double> nan = {kNan};
  const std::vector<double> one = {1};
  numbers->Append(std::span(nan), 0, 1);
  numbers->Take();
  numbers->Append(std::span(one), 0, 1);
  const ChunkContent content = numbers->Take();
  EXPECT_EQ(content.value_count, 1u);
  EXPECT_TRUE(content.bounds);
}

}  // namespace
}  // namespace cboard::parquet
