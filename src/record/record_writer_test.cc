#include "cboard/record/record_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/matchers.h"
#include "testing/sinks.h"

namespace cboard::record {
namespace {

using namespace std::string_literals;  // NOLINT: for ""s with zero bytes.

TEST(RecordWriter, WritesTheGoldenEmptyRecord) {
  testing::StringSink sink;
  ASSERT_THAT(RecordWriter(sink).Append({}), testing::Succeeds());
  EXPECT_EQ(sink.text(), "\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2"s);
}

TEST(RecordWriter, WritesTheGoldenFileVersionRecord) {
  const std::string payload = "\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d"s + "brain.Event:2";
  testing::StringSink sink;
  ASSERT_THAT(RecordWriter(sink).Append(AsBytes(payload)), testing::Succeeds());
  EXPECT_EQ(sink.text(), "\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22"s + payload + "\x86\xbf\x57\x7a"s);
}

TEST(RecordWriter, HandsEachRecordToTheSinkInOneWrite) {
  testing::StringSink sink;
  RecordWriter writer(sink);
  ASSERT_THAT(writer.Append(AsBytes("one")), testing::Succeeds());
  ASSERT_THAT(writer.Append(AsBytes("three")), testing::Succeeds());
  ASSERT_EQ(sink.writes().size(), 2u);
  EXPECT_EQ(sink.writes()[0].size(), kRecordOverheadBytes + 3);
  EXPECT_EQ(sink.writes()[1].size(), kRecordOverheadBytes + 5);
}

TEST(RecordWriter, PassesTheSinksErrorOn) {
  testing::FailingSink sink({ErrorCode::kResourceExhausted, "disk full"});
  EXPECT_THAT(RecordWriter(sink).Append(AsBytes("x")),
              testing::FailsSaying(ErrorCode::kResourceExhausted, "disk full"));
}

}  // namespace
}  // namespace cboard::record
