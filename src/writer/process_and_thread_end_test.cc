// Tests writers in threads that end, in processes that fork, and at system limits.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "cboard/writer/event_file_writer.h"
#include "cboard/writer/summary_writer.h"
#include "testing/child_process.h"
#include "testing/event_files.h"
#include "testing/matchers.h"
#include "testing/open_writer.h"
#include "testing/temp_dir.h"

namespace cboard::writer {
namespace {

using testing::HoldsInChild;
using testing::OpenOrDie;
using testing::ScalarsIn;
using testing::Succeeds;
using testing::TempDir;

// Logs when its thread ends, after the thread has lost its buffers.
struct LogsAtTheEnd {
  std::vector<EventFileWriter*> writers;
  ~LogsAtTheEnd() {
    for (EventFileWriter* writer : writers) {
      EXPECT_THAT(writer->AddScalar("last", 1, 2, 1), Succeeds());
    }
  }
};

TEST(ThreadEnd, WhatDestructorsLogArrives) {
  TempDir dir;
  const auto used = OpenOrDie(dir / "used");
  const auto used_last = OpenOrDie(dir / "used_last");
  const auto unused = OpenOrDie(dir / "unused");
  std::thread([&] {
    thread_local LogsAtTheEnd at_the_end;  // Made before the thread's buffers, so destroyed after.
    at_the_end.writers = {used_last.get(), used.get(), unused.get(), used_last.get()};
    EXPECT_THAT(used->AddScalar("first", 1, 1, 1), Succeeds());
    EXPECT_THAT(used_last->AddScalar("first", 1, 1, 1), Succeeds());
  }).join();
  for (const auto* writer : {&used, &used_last, &unused}) {
    ASSERT_THAT((*writer)->Flush(), Succeeds());
  }
  EXPECT_EQ(ScalarsIn(dir / "used").size(), 2u);
  EXPECT_EQ(ScalarsIn(dir / "used_last").size(), 3u);
  EXPECT_EQ(ScalarsIn(dir / "unused").size(), 1u);
}

TEST(Fork, AChildMayBeGivenItsParentsIoThread) {
  CBOARD_SKIP_UNLESS_CHILDREN_MAY_START_THREADS();
  TempDir dir;
  const WriterOptions options{.io_thread = MakeIoThread()};
  const auto writer = OpenOrDie(dir / "parent", options);  // So that the thread runs.
  EXPECT_TRUE(HoldsInChild([&] {
    const auto file = EventFileWriter::Open(dir / "file", options);
    SummaryWriter summary(dir / "summary", options);
    return file && (*file)->AddScalar("x", 1, 1, 1) && (*file)->Flush() &&
           summary.AddScalar("x", 1) && summary.Flush();
  }));
  EXPECT_EQ(ScalarsIn(dir / "file").size(), 1u);
  EXPECT_EQ(ScalarsIn(dir / "summary").size(), 1u);
}

TEST(Fork, AChildMayLetGoOfEverything) {
  TempDir dir;
  auto summary = std::make_unique<SummaryWriter>(dir / "summary");
  auto file = OpenOrDie(dir / "file");
  std::shared_ptr<IoThread> io_thread = MakeIoThread();
  OpenOrDie(dir / "gone", {.io_thread = io_thread}).reset();  // The thread runs and is idle.
  EXPECT_TRUE(HoldsInChild([&] {
    summary.reset();
    file.reset();
    io_thread.reset();  // The last reference to a thread that is not there.
    return true;
  }));
  ASSERT_THAT(summary->AddScalar("x", 1), Succeeds());
  ASSERT_THAT(summary->Close(), Succeeds());
  EXPECT_EQ(ScalarsIn(dir / "summary").size(), 1u);
}

TEST(Fork, AChildMayLogGroupsWhateverTheParentsThreadsWereDoing) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's allocator may stay locked in a child of many threads";
#endif
  CBOARD_SKIP_UNLESS_CHILDREN_MAY_START_THREADS();
  TempDir dir;
  SummaryWriter writer(dir.path());
  std::atomic<bool> done = false;
  std::thread parent([&] {
    while (!done) EXPECT_THAT(writer.AddScalars("g", {{"k", 1}}), Succeeds());
  });
  bool all = true;
  for (int i = 0; i < 20; ++i) {
    all = all && HoldsInChild([&] { return writer.AddScalars("g", {{"k", 2}}).has_value(); });
  }
  done = true;
  parent.join();
  EXPECT_TRUE(all);
}

TEST(Limits, NoThreadLeftIsAnErrorAndNotAnException) {
  TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  EXPECT_TRUE(HoldsInChild([&] {
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) return false;
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return false;  // Root has no limit.
    const auto opened = EventFileWriter::Open(dir / "run", {});
    return !opened && opened.error().code == ErrorCode::kResourceExhausted;
  }));
}

}  // namespace
}  // namespace cboard::writer
