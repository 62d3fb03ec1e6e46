#include "cboard/writer/event_file_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "testing/child_process.h"
#include "testing/event_files.h"
#include "testing/matchers.h"
#include "testing/open_writer.h"
#include "testing/temp_dir.h"

namespace cboard::writer {
namespace {

using testing::EventBytes;
using testing::EventFilesIn;
using testing::FailsSaying;
using testing::FailsWith;
using testing::HoldsInChild;
using testing::OpenOrDie;
using testing::ScalarsIn;
using testing::Succeeds;
using testing::TempDir;

TEST(EventFileWriter, BeginsWithTheFileVersion) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  ASSERT_THAT(writer->Flush(), Succeeds());
  const std::vector<std::string> events = EventBytes(writer->path());
  ASSERT_EQ(events.size(), 1u);
  const Result<proto::Event> event = proto::ParseEvent(events[0]);
  EXPECT_EQ(event->kind, proto::EventKind::kFileVersion);
  EXPECT_EQ(event->payload, "brain.Event:2");
}

TEST(EventFileWriter, AnnouncesARestartAtThePurgeStep) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path(), {.purge_step = 7});
  ASSERT_THAT(writer->Flush(), Succeeds());
  const std::vector<std::string> events = EventBytes(writer->path());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(proto::ParseEvent(events[1])->step, 7);
  const Result<proto::Event> start = proto::ParseEvent(events[2]);
  EXPECT_EQ(start->step, 7);
  EXPECT_EQ(start->kind, proto::EventKind::kSessionLog);
  EXPECT_EQ(proto::ParseSessionLog(start->payload)->status, proto::SessionStatus::kStart);
}

TEST(EventFileWriter, WhatWasFlushedIsInTheFile) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  ASSERT_THAT(writer->AddScalar("loss", 0.25f, 3, 10.5), Succeeds());
  EXPECT_TRUE(ScalarsIn(dir.path()).empty());  // Still in memory: no flush yet.
  ASSERT_THAT(writer->Flush(), Succeeds());
  const auto points = ScalarsIn(dir.path());
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].tag, "loss");
  EXPECT_EQ(points[0].step, 3);
  EXPECT_EQ(points[0].wall_time_seconds, 10.5);
  EXPECT_EQ(points[0].value, 0.25f);
}

TEST(EventFileWriter, FlushesByItselfAfterFlushSecs) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path(), {.flush_secs = 0.05});
  ASSERT_THAT(writer->AddScalar("loss", 1, 1, 1), Succeeds());
  for (int i = 0; i < 1000 && ScalarsIn(dir.path()).empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 1u);
}

TEST(EventFileWriter, KeepsSmallAndLargeEventsOfAThreadInOrder) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  for (int i = 0; i < 300; ++i) {
    std::string summary;
    proto::AppendMetadataValue(
        "m",
        {.plugin_name = "p",
         .plugin_content = std::string(static_cast<std::size_t>(i % 3) * 40'000, 'x')},
        summary);
    ASSERT_THAT(writer->AddEvent(proto::EncodeEvent({.wall_time_seconds = 1,
                                                     .step = 2 * i + 1,
                                                     .kind = proto::EventKind::kSummary,
                                                     .payload = summary})),
                Succeeds());
    ASSERT_THAT(writer->AddScalar("s", 1, 2 * i + 2, 1), Succeeds());
  }
  ASSERT_THAT(writer->Close(), Succeeds());
  const std::vector<std::string> events = EventBytes(writer->path());
  ASSERT_EQ(events.size(), 601u);
  for (std::size_t i = 1; i < events.size(); ++i) {
    ASSERT_EQ(proto::ParseEvent(events[i])->step, static_cast<std::int64_t>(i));
  }
}

TEST(EventFileWriter, ManyThreadsLoseNothingAndEachKeepsItsOrder) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  constexpr int kThreads = 4;
  constexpr int kEvents = 30'000;
  std::vector<std::thread> threads;
  std::atomic<bool> done = false;
  std::thread flusher([&] {
    while (!done) EXPECT_THAT(writer->Flush(), Succeeds());
  });
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string tag = "thread" + std::to_string(t);
      for (int i = 1; i <= kEvents; ++i) {
        ASSERT_THAT(writer->AddScalar(tag, static_cast<float>(i), i, 1), Succeeds());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  flusher.join();
  ASSERT_THAT(writer->Close(), Succeeds());
  std::map<std::string, std::int64_t> last_step;
  for (const auto& point : ScalarsIn(dir.path())) {
    ASSERT_EQ(point.step, ++last_step[point.tag]);
  }
  ASSERT_EQ(last_step.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [tag, step] : last_step) EXPECT_EQ(step, kEvents) << tag;
}

TEST(EventFileWriter, FlushGetsByThreadsThatWaitForAFullQueue) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path(), {.max_queue = 1, .flush_secs = 1e9});
  std::atomic<bool> done = false;
  std::atomic<int> added = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      const std::string large(17'000, 'x');  // Handed over by itself.
      while (!done) {
        EXPECT_THAT(writer->AddScalar("x", 1, 1, 1), Succeeds());
        EXPECT_THAT(writer->AddEvent(large), Succeeds());
        ++added;
      }
    });
  }
  for (int i = 0; i < 500; ++i) EXPECT_THAT(writer->Flush(), Succeeds());
  done = true;
  for (std::thread& thread : threads) thread.join();
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_EQ(EventBytes(writer->path()).size(), 1 + 2 * static_cast<std::size_t>(added));
}

TEST(EventFileWriter, RestsWhenThereIsNothingToFlushAtOnce) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path(), {.flush_secs = 0});
  ASSERT_THAT(writer->Flush(), Succeeds());
  const auto processor_microseconds = [] {
    rusage usage;
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec * 1'000'000 + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_sec * 1'000'000 + usage.ru_stime.tv_usec;
  };
  const auto before = processor_microseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(processor_microseconds() - before,
            50'000);  // Processor time: a busy loop takes most of the 200 ms.
}

TEST(EventFileWriter, ThreadsThatCameAndWentLeaveTheirEventsBehind) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  for (int i = 0; i < 200; ++i) {
    std::thread([&] { EXPECT_THAT(writer->AddScalar("x", 1, i, 1), Succeeds()); }).join();
  }
  ASSERT_THAT(writer->Flush(), Succeeds());
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 200u);
}

TEST(EventFileWriter, TwoWritersOnOneDirectoryNeverShareAFile) {
  TempDir dir;
  std::vector<std::unique_ptr<EventFileWriter>> writers;
  std::set<std::filesystem::path> paths;
  for (int i = 0; i < 20; ++i) {
    writers.push_back(OpenOrDie(dir.path(), {.filename_suffix = ".mine"}));
    paths.insert(writers.back()->path());
    EXPECT_EQ(writers.back()->path().extension(), ".mine");
    ASSERT_THAT(writers.back()->AddScalar("x", 1, i, 1), Succeeds());
  }
  writers.clear();
  EXPECT_EQ(paths.size(), 20u);
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 20u);
}

TEST(EventFileWriter, RefusesEventsAfterClose) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_THAT(writer->AddScalar("x", 1, 1, 1), FailsWith(ErrorCode::kFailedPrecondition));
  std::thread([&] {  // Also from a thread that never wrote to it before.
    EXPECT_THAT(writer->AddScalar("x", 1, 1, 1), FailsWith(ErrorCode::kFailedPrecondition));
  })
      .join();
  EXPECT_THAT(writer->AddEvent("x"), FailsWith(ErrorCode::kFailedPrecondition));
  EXPECT_THAT(writer->Close(), Succeeds());
  EXPECT_THAT(writer->Flush(), Succeeds());
}

TEST(EventFileWriter, SaysWhatToDoAboutATagThatIsTooLong) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  EXPECT_THAT(
      writer->AddScalar(std::string(100'000, 't'), 1, 1, 1),
      FailsSaying(ErrorCode::kInvalidArgument, "has 100,000 bytes; shorten it to at most 65,536"));
  EXPECT_THAT(writer->AddScalar(std::string(60'000, 't'), 1, 1, 1), Succeeds());
  ASSERT_THAT(writer->Flush(), Succeeds());
  EXPECT_EQ(ScalarsIn(dir.path()).at(0).tag.size(), 60'000u);
}

TEST(EventFileWriter, RefusesASuffixThatIsAPath) {
  TempDir dir;
  EXPECT_THAT(EventFileWriter::Open(dir.path(), {.filename_suffix = "/../x"}),
              FailsWith(ErrorCode::kInvalidArgument));
}

TEST(EventFileWriter, ReportsADirectoryThatCannotBeMade) {
  EXPECT_THAT(EventFileWriter::Open("/proc/nowhere", {}),
              FailsSaying(ErrorCode::kNotFound, "cannot create directory '/proc/nowhere'"));
}

TEST(EventFileWriter, WritesADeletedFileAgainInFull) {
  TempDir dir;
  std::mutex mutex;
  std::vector<std::string> reports;
  WriterOptions options;
  options.on_disk_error = [&](const std::optional<Error>& error) {
    const std::lock_guard lock(mutex);
    reports.push_back(error ? error->message : "works");
  };
  const auto writer = OpenOrDie(dir / "run", options);
  ASSERT_THAT(writer->AddScalar("x", 1, 1, 1), Succeeds());
  ASSERT_THAT(writer->Flush(), Succeeds());
  std::filesystem::remove_all(dir / "run");
  ASSERT_THAT(writer->AddScalar("x", 1, 2, 1), Succeeds());
  ASSERT_THAT(writer->Flush(), Succeeds());
  EXPECT_EQ(ScalarsIn(dir / "run").size(), 2u);
  const std::lock_guard lock(mutex);
  EXPECT_THAT(reports, ::testing::ElementsAre(::testing::HasSubstr("was deleted while in use")));
}

TEST(EventFileWriter, AForkedChildWritesToTheFileAtOnce) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  ASSERT_THAT(writer->AddScalar("x", 1, 1, 1), Succeeds());  // Still in memory when it forks.
  EXPECT_TRUE(HoldsInChild(
      [&] { return writer->AddScalar("x", 1, 2, 1) && writer->AddEvent("") && writer->Flush(); }));
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 1u);  // The child's event, which nobody flushed.
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 2u);
  EXPECT_EQ(EventFilesIn(dir.path()).size(), 1u);
}

TEST(EventFileWriter, AForkedChildThatClosesTheFileLeavesItToItsParent) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path());
  EXPECT_TRUE(HoldsInChild([&] {
    return writer->Close() && writer->Close() &&
           writer->AddScalar("x", 1, 1, 1).error().code == ErrorCode::kFailedPrecondition;
  }));
  ASSERT_THAT(writer->AddScalar("x", 1, 2, 1), Succeeds());
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 1u);
}

TEST(EventFileWriter, WritesEachEventAtOnceIfAsked) {
  TempDir dir;
  const auto writer = OpenOrDie(dir.path(), {.purge_step = 3, .write_at_once = true});
  ASSERT_THAT(writer->AddScalar("x", 1, 1, 1), Succeeds());
  EXPECT_EQ(ScalarsIn(dir.path()).size(), 1u);
  EXPECT_EQ(EventBytes(writer->path()).size(), 4u);  // With the version and the restart before it.
  ASSERT_THAT(writer->Close(), Succeeds());
  EXPECT_THAT(writer->AddScalar("x", 1, 2, 1), FailsWith(ErrorCode::kFailedPrecondition));
}

}  // namespace
}  // namespace cboard::writer
