// A full disk, simulated by a limit on the size of files.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "cboard/writer/event_file_writer.h"
#include "testing/event_files.h"
#include "testing/matchers.h"
#include "testing/open_writer.h"
#include "testing/temp_dir.h"
#include "writer/partial_record.h"

namespace cboard::writer {
namespace {

using ::testing::ElementsAre;
using testing::EventBytes;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::OpenOrDie;
using testing::ScalarsIn;
using testing::Succeeds;
using testing::TempDir;

// Limits the size of this process's files to `bytes` during its lifetime.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_;
};

// Collects the errors passed to on_disk_error.
class Reports {
 public:
  void Add(const std::optional<Error>& error) {
    const std::lock_guard lock(mutex_);
    texts_.push_back(error ? error->message : "works");
  }
  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

TEST(DiskTrouble, IsReportedOnceAndEverythingIsThereAfterwards) {
  TempDir dir;
  Reports reports;
  const auto writer = OpenOrDie(
      dir.path(), {.on_disk_error = [&](const std::optional<Error>& e) { reports.Add(e); }});
  constexpr int kEvents = 5000;  // Several chunks; the limit cuts a record in two.
  {
    const FullDisk full(1001);
    for (int i = 0; i < kEvents; ++i) ASSERT_THAT(writer->AddScalar("x", 1, i, 1), Succeeds());
    EXPECT_THAT(writer->Flush(), FailsSaying(ErrorCode::kResourceExhausted, "cannot write to"));
    EXPECT_THAT(writer->Flush(), FailsWith(ErrorCode::kResourceExhausted));
  }
  ASSERT_THAT(writer->Flush(), Succeeds());
  const auto points = ScalarsIn(dir.path());
  ASSERT_EQ(points.size(), static_cast<std::size_t>(kEvents));
  for (int i = 0; i < kEvents; ++i) ASSERT_EQ(points[static_cast<std::size_t>(i)].step, i);
  EXPECT_THAT(reports.texts(), ElementsAre(HasSubstr("cannot write to"), "works"));
}

TEST(DiskTrouble, LeavesNoPartialRecordBehind) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  ASSERT_THAT(writer->Flush(), Succeeds());
  const std::string large = proto::EncodeEvent(
      {.step = 1, .kind = proto::EventKind::kGraphDef, .payload = std::string(600'000, 'x')});
  for (const rlim_t limit : {1001u, 700'001u, 1'300'001u}) {  // In a scalar, in large events.
    {
      const FullDisk full(limit);
      for (int i = 0; i < 100; ++i) ASSERT_THAT(writer->AddScalar("x", 1, i, 1), Succeeds());
      ASSERT_THAT(writer->AddEvent(large), Succeeds());
      EXPECT_THAT(writer->Flush(), FailsWith(ErrorCode::kResourceExhausted));
      const std::string bytes = *ReadFile(writer->path());
      EXPECT_EQ(PartialRecordBytes(AsBytes(bytes), bytes.size()), 0u) << limit;
      EXPECT_GT(bytes.size(), 100u);
    }
    ASSERT_THAT(writer->Flush(), Succeeds());
  }
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_EQ(EventBytes(writer->path()).size(), 1 + 3 * 101u);  // The file version is the first.
}

TEST(DiskTrouble, FlushingAfterEveryEventKeepsTheBacklogWithinItsLimit) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path(), {.max_backlog_bytes = 256 << 10});
  const std::string event = proto::EncodeEvent(
      {.step = 1, .kind = proto::EventKind::kGraphDef, .payload = std::string(1000, 'x')});
  std::size_t accepted = 0;
  Result<void> added;
  {
    const FullDisk full(1);
    for (; accepted < 2000; ++accepted) {
      added = writer->AddEvent(event);
      if (!added) break;
      ASSERT_FALSE(writer->Flush().has_value());
    }
  }
  EXPECT_THAT(added, FailsSaying(ErrorCode::kResourceExhausted, "the event was not logged"));
  EXPECT_GT(accepted, 200u);
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_EQ(EventBytes(writer->path()).size(), 1 + accepted);  // The file version is the first.
}

TEST(DiskTrouble, CloseSaysHowMuchIsLost) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  ASSERT_THAT(writer->Flush(), Succeeds());
  const FullDisk full(1);
  ASSERT_THAT(writer->AddEvent(std::string(2048 - 16, 'x')), Succeeds());
  EXPECT_THAT(writer->Close(),
              FailsSaying(ErrorCode::kResourceExhausted, "2.0 KiB of events are lost"));
}

TEST(DiskTrouble, TheReportMayBeLoggedButNotFlushed) {
  TempDir dir;
  EventFileWriter* logged_to = nullptr;
  Result<void> flushed;
  std::atomic<bool> reported = false;
  const auto writer = OpenOrDie(
      dir.path(), {.max_queue = 1, .on_disk_error = [&](const std::optional<Error>& error) {
                     if (!error) return;
                     // Adds more events than the queue accepts without waiting.
                     for (int i = 0; i < 5000; ++i) {
                       static_cast<void>(logged_to->AddScalar("trouble", 1, i, 1));
                     }
                     flushed = logged_to->Flush();
                     reported = true;
                     reported.notify_all();
                   }});
  logged_to = writer.get();
  ASSERT_THAT(writer->Flush(), Succeeds());
  {
    const FullDisk full(1);
    ASSERT_THAT(writer->AddScalar("x", 1, 1, 1), Succeeds());
    EXPECT_THAT(writer->Flush(), FailsWith(ErrorCode::kResourceExhausted));
    reported.wait(false);
  }
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_THAT(flushed, FailsSaying(ErrorCode::kFailedPrecondition, "from another thread"));
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 5001u);
}

}  // namespace
}  // namespace cboard::writer
