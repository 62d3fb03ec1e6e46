#include "writer/partial_record.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "cboard/base/file.h"
#include "cboard/record/record_writer.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::writer {
namespace {

using testing::Succeeds;
using testing::TempDir;

std::string Records() {
  std::string records;
  for (const char* payload : {"first", "", "third, which is longer"}) {
    record::AppendRecord(AsBytes(payload), records);
  }
  return records;
}

TEST(PartialRecord, IsWhatFollowsTheLastWholeRecord) {
  const std::string records = Records();
  const std::size_t first = 5 + record::kRecordOverheadBytes,
                    second = first + record::kRecordOverheadBytes;
  for (std::size_t written = 0; written <= records.size(); ++written) {
    const std::size_t whole = written == records.size() ? written
                              : written >= second       ? second
                              : written >= first        ? first
                                                        : 0;
    EXPECT_EQ(PartialRecordBytes(AsBytes(records), written), written - whole) << written;
  }
}

class RemovedPartialRecord : public ::testing::Test {
 protected:
  TempDir dir_;
  Result<File> file_ = File::CreateNew(dir_ / "events");
};

TEST_F(RemovedPartialRecord, LeavesTheWholeOnesAndThePlaceToGoOn) {
  ASSERT_THAT(file_->Write(AsBytes("whole|par")), Succeeds());
  ASSERT_TRUE(RemovePartialRecord(file_->descriptor(), 3));
  EXPECT_EQ(*ReadFile(dir_ / "events"), "whole|");
  ASSERT_THAT(file_->Write(AsBytes("partial|")), Succeeds());
  EXPECT_EQ(*ReadFile(dir_ / "events"), "whole|partial|");
}

TEST_F(RemovedPartialRecord, StaysIfAnotherProcessHasWrittenBehindIt) {
  ASSERT_THAT(file_->Write(AsBytes("whole|par")), Succeeds());
  const Result<File> other = File::OpenForAppending(dir_ / "events");
  ASSERT_EQ(::write(other->descriptor(), "other|", 6), 6);
  EXPECT_FALSE(RemovePartialRecord(file_->descriptor(), 3));
  EXPECT_EQ(*ReadFile(dir_ / "events"), "whole|parother|");
}

}  // namespace
}  // namespace cboard::writer
