// tests/export checks whole files with other programs as oracles.
#include "cboard/parquet/table_writer.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/sinks.h"

namespace cboard::parquet {
namespace {

using namespace std::string_literals;  // NOLINT: for ""s with zero bytes.

// Computes the footer's offset from the length at the end of the file.
std::size_t FooterOffset(const std::string& file) {
  const std::size_t end = file.size() - 8;
  return end - LoadLittleEndian<std::uint32_t>(AsBytes(file).subspan(end));
}

TEST(TableWriter, BeginsAndEndsWithTheMagic) {
  testing::StringSink sink;
  TableWriter table({{"step", ColumnType::kInt64}}, sink);
  ASSERT_THAT(table.Finish(), testing::Succeeds());
  EXPECT_TRUE(sink.text().starts_with("PAR1"));
  EXPECT_TRUE(sink.text().ends_with("PAR1"));
  EXPECT_EQ(FooterOffset(sink.text()), 4u);  // Nothing else.
}

TEST(TableWriter, WritesTheGoldenPage) {
  testing::StringSink sink;
  TableWriter table({{"step", ColumnType::kInt64}}, sink);
  const std::vector<std::int64_t> steps = {5};
  ASSERT_THAT(table.Append(1, {steps}), testing::Succeeds());
  ASSERT_THAT(table.Finish(), testing::Succeeds());
  // The header of a data page: 8 bytes, stored in 8, their CRC-32; 1 value, plain.
  EXPECT_EQ(
      sink.text().substr(4, FooterOffset(sink.text()) - 4),
      "\x15\x00\x15\x10\x15\x10\x15\x9a\xc4\x96\xdc\x05\x1c\x15\x02\x15\x00\x15\x06\x15\x06\x00\x00"
      "\x05\0\0\0\0\0\0\0"s);
}

TEST(TableWriter, WritesARowGroupWhenItIsFull) {
  testing::StringSink sink;
  TableWriter table({{"run", ColumnType::kText}, {"value", ColumnType::kDouble}}, sink);
  const std::vector<double> values(kRowGroupRows - 1, 0.5);
  ASSERT_THAT(table.Append(values.size(), {"train", values}), testing::Succeeds());
  EXPECT_EQ(sink.text(), "");
  ASSERT_THAT(table.Append(2, {"train", std::span(values).first(2)}), testing::Succeeds());
  const std::size_t written = sink.text().size();
  EXPECT_GT(written, 0u);
  ASSERT_THAT(table.Finish(), testing::Succeeds());
  EXPECT_GT(FooterOffset(sink.text()), written);  // The row that was too many.
}

TEST(TableWriter, SplitsManyRowsIntoGroups) {
  testing::StringSink sink;
  TableWriter table({{"value", ColumnType::kDouble}}, sink);
  const std::vector<double> values(3 * kRowGroupRows, 0.5);
  ASSERT_THAT(table.Append(values.size(), {values}), testing::Succeeds());
  EXPECT_EQ(sink.writes().size(), 1u + 3u);  // The magic, and a chunk for each group.
}

TEST(TableWriter, EndsARowGroupEarlyForItsTexts) {
  testing::StringSink sink;
  TableWriter table({{"tag", ColumnType::kText}}, sink);
  std::string name(1 << 20, 'x');
  for (char last = 'a'; last < 'd'; ++last) {
    name.back() = last;
    ASSERT_THAT(table.Append(1, {name}), testing::Succeeds());
    EXPECT_EQ(sink.text(), "");
  }
  name.back() = 'd';
  ASSERT_THAT(table.Append(1, {name}), testing::Succeeds());
  EXPECT_NE(sink.text(), "");
}

TEST(TableWriter, PassesTheSinksErrorOn) {
  testing::FailingSink sink({ErrorCode::kResourceExhausted, "disk full"});
  const auto fails = testing::FailsSaying(ErrorCode::kResourceExhausted, "disk full");
  TableWriter table({{"value", ColumnType::kDouble}}, sink);
  EXPECT_THAT(table.Finish(), fails);
  TableWriter full({{"value", ColumnType::kDouble}}, sink);
  const std::vector<double> values(kRowGroupRows, 0.5);
  EXPECT_THAT(full.Append(values.size(), {values}), fails);
}

}  // namespace
}  // namespace cboard::parquet
