// Short files that nobody has changed for a while: they are read with few system calls, and changes
// of them are noticed all the same.
#include "reader/live/followed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "reader/testing/live_test_support.h"

namespace cboard::reader {
namespace {

using testing::Append;
using testing::ScalarRecords;
using testing::TempDir;
using testing::WriteBytes;

// System calls of this thread that have read from a file, so far.
std::int64_t ReadCalls() {
  std::ifstream counters("/proc/thread-self/io");
  for (std::string name; counters >> name;) {
    std::int64_t count = 0;
    counters >> count;
    if (name == "syscr:") return count;
  }
  return -1;
}

class SettledFile : public ::testing::Test {
 protected:
  void Write(const std::string& bytes) { WriteBytes(path_, bytes); }

  FileStatus Listed() const {
    const std::vector<ListedFile> files = ListDirectory(dir_.path().native()).files;
    return files.size() == 1 ? files[0].status : FileStatus{};
  }

  std::shared_ptr<const FileView> Read(const FileStatus& seen) {
    return file_.Read(path_, seen, {.settled_after = std::chrono::milliseconds(0)}).view;
  }

  TempDir dir_;
  const std::string path_ = (dir_ / "tfevents").native();
  FollowedFile file_;
};

TEST_F(SettledFile, IsReadWithOneCall) {
  Write(ScalarRecords("x", 0, 300));
  const FileStatus listed = Listed();
  const std::int64_t before = ReadCalls();
  if (before < 0) GTEST_SKIP() << "this system does not count calls";
  const std::int64_t calls_of_counting = ReadCalls() - before;
  const std::int64_t start = ReadCalls();
  const auto view = Read(listed);
  EXPECT_EQ(ReadCalls() - start - calls_of_counting, 1);
  EXPECT_EQ(view->event_count, 300u);
  EXPECT_EQ(view->file.size_bytes, listed.size_bytes);
  EXPECT_EQ(view->file.torn_bytes, 0u);
}

TEST_F(SettledFile, IsReadInItsPresentStateIfItHasChangedSinceItWasListed) {
  Write(ScalarRecords("x", 0, 10));
  const FileStatus listed = Listed();
  Append(path_, ScalarRecords("x", 10, 12));
  EXPECT_EQ(Read(listed)->event_count, 12u);
}

TEST_F(SettledFile, IsReadInItsPresentStateIfItIsShorterThanListed) {
  Write(ScalarRecords("x", 0, 10));
  const FileStatus listed = Listed();
  Write(ScalarRecords("x", 0, 4));
  EXPECT_EQ(Read(listed)->event_count, 4u);
}

TEST_F(SettledFile, IsReadOnWhenItGrows) {
  Write(ScalarRecords("x", 0, 10));
  const FileStatus listed = Listed();
  ASSERT_EQ(Read(listed)->event_count, 10u);
  Append(path_, ScalarRecords("x", 10, 12));
  const ReadOutcome grown = file_.Read(path_, Listed(), {});
  EXPECT_EQ(grown.view->event_count, 12u);
  EXPECT_EQ(grown.generation, 1u) << "what was read is kept";
}

TEST_F(SettledFile, IsReadAgainWhenItGrowsAfterAnEdit) {
  const std::string records = ScalarRecords("x", 0, 10);
  Write(records);
  ASSERT_EQ(Read(Listed())->damage_count, 0u);
  std::string edited = records;
  edited[50] ^= 1;
  Write(edited + ScalarRecords("x", 10, 12));
  const auto view = file_.Read(path_, Listed(), {}).view;
  EXPECT_EQ(view->event_count, 11u);
  EXPECT_EQ(view->damage_count, 1u);
}

TEST_F(SettledFile, ReportsItsDamage) {
  std::string records = ScalarRecords("x", 0, 10);
  records[50] ^= 1;
  Write(records);
  const auto view = Read(Listed());
  EXPECT_EQ(view->event_count, 9u);
  EXPECT_EQ(view->damage_count, 1u);
}

TEST_F(SettledFile, WaitsForTheRestOfATornRecord) {
  const std::string records = ScalarRecords("x", 0, 10);
  Write(records.substr(0, records.size() - 7));
  EXPECT_EQ(Read(Listed())->event_count, 9u);
  Append(path_, records.substr(records.size() - 7));
  EXPECT_EQ(Read(Listed())->event_count, 10u);
}

TEST_F(SettledFile, CountsItsBytesOnceAlsoIfItIsDamaged) {
  std::string records = ScalarRecords("x", 0, 10);
  records[50] ^= 1;
  Write(records);
  std::atomic<std::uint64_t> bytes = 0, events = 0;
  file_.Read(path_, Listed(),
             {.bytes_read = &bytes,
              .events_read = &events,
              .settled_after = std::chrono::milliseconds(0)});
  EXPECT_EQ(bytes, records.size());
  EXPECT_EQ(events, 9u);
}

TEST(PauseAfterProof, DoesNotGrowWithTheLoadOfTheMachine) {
  using std::chrono::milliseconds;
  EXPECT_EQ(PauseAfterProof(milliseconds(2), 1 << 20), milliseconds(198));
  // The comparison of 400 KB waited four seconds for a processor.
  EXPECT_EQ(PauseAfterProof(milliseconds(4000), 400'000), milliseconds(99 * 9));
  EXPECT_EQ(PauseAfterProof(milliseconds(4000), 500'000'000), milliseconds(99 * 4000));
}

}  // namespace
}  // namespace cboard::reader
