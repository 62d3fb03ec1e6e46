// Loading, following and reading snapshots at the same time. ThreadSanitizer is the oracle.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "reader/testing/live_test_support.h"

namespace cboard::reader {
namespace {

using testing::Append;
using testing::Becomes;
using testing::OpenReader;
using testing::ScalarRecords;
using testing::StepsOf;
using testing::TempDir;
using testing::WriteBytes;

namespace fs = std::filesystem;

// Looks at everything in a snapshot, and at what must hold in each: steps are 0, 1, 2, … and the
// value of a point is its step.
std::uint64_t LookAtAll(const Snapshot& snapshot) {
  std::uint64_t points = 0;
  for (const auto& run : snapshot.runs) {
    EXPECT_LE(run->version, snapshot.version);
    EXPECT_EQ(run->damage_count, 0u);
    for (const Tag& tag : run->tags) {
      std::int64_t expected = 0;
      tag.scalars.ForEachBlock([&](const ScalarBlock& block) {
        for (std::size_t i = 0; i < block.steps.size(); ++i, ++expected) {
          ASSERT_EQ(block.steps[i], expected);
          ASSERT_EQ(block.values[i], static_cast<double>(expected));
        }
      });
      points += static_cast<std::uint64_t>(expected);
    }
  }
  return points;
}

TEST(Concurrency, SnapshotsStayAsTheyAreWhileEverythingChanges) {
  TempDir dir, cache;
  constexpr int kRuns = 10;
  constexpr std::int64_t kRounds = 60, kPerRound = 20;
  for (int i = 0; i < kRuns; ++i) {
    WriteBytes(dir / std::to_string(i) / "tfevents", ScalarRecords("x", 0, kPerRound));
  }
  const auto reader = OpenReader({.logdirs = {{"", dir.path()}},
                                  .poll_interval = std::chrono::milliseconds(10),
                                  .threads = 3,
                                  .cache_directory = cache.path()});
  std::atomic<bool> is_done = false;
  std::atomic<std::uint64_t> heard = 0;
  const auto listening = reader->Listen([&](const auto& snapshot) { heard = snapshot->version; });

  std::vector<std::thread> lookers;
  for (int i = 0; i < 2; ++i) {
    lookers.emplace_back([&] {
      while (!is_done) {
        const auto snapshot = reader->snapshot();
        const std::uint64_t points = LookAtAll(*snapshot);
        std::this_thread::yield();
        ASSERT_EQ(LookAtAll(*snapshot), points) << "a snapshot has changed";
        reader->statistics();
      }
    });
  }
  std::thread refresher([&] {
    while (!is_done) reader->Refresh();
  });
  for (std::int64_t round = 1; round < kRounds; ++round) {
    for (int i = 0; i < kRuns; ++i) {
      Append(dir / std::to_string(i) / "tfevents",
             ScalarRecords("x", round * kPerRound, (round + 1) * kPerRound));
    }
    fs::rename(dir / "0", dir / "moved");
    fs::rename(dir / "moved", dir / "0");
  }
  EXPECT_TRUE(Becomes(*reader, [&](const Snapshot& snapshot) {
    return snapshot.runs.size() == kRuns &&
           LookAtAll(snapshot) == static_cast<std::uint64_t>(kRuns * kRounds * kPerRound);
  }));
  is_done = true;
  for (std::thread& looker : lookers) looker.join();
  refresher.join();
  EXPECT_GT(heard, 0u);
}

TEST(Concurrency, AFileThatIsReplacedAndShortenedWhileItIsReadEndsAsTheLastOne) {
  TempDir dir;
  for (const bool watch : {true, false}) {
    WriteBytes(dir / "run" / "tfevents", ScalarRecords("x", 0, 3000));
    const auto reader = OpenReader({.logdirs = {{"", dir.path()}},
                                    .poll_interval = std::chrono::milliseconds(5),
                                    .watch = watch});
    for (std::int64_t round = 1; round <= 60; ++round) {
      const std::string records = ScalarRecords("x", 10 * round, 3000 + round);
      if (round % 3 == 0) {
        WriteBytes(dir / "run" / "tfevents", records);  // Emptied, and written again.
      } else if (round % 3 == 1) {
        WriteBytes(dir / "new", records);
        fs::rename(dir / "new", dir / "run" / "tfevents");
      } else {
        fs::resize_file(dir / "run" / "tfevents", records.size() / 2);
      }
    }
    WriteBytes(dir / "run" / "tfevents", ScalarRecords("x", 7, 3500));
    EXPECT_TRUE(Becomes(*reader, [&](const Snapshot& snapshot) {
      const std::vector<std::int64_t> steps = StepsOf(snapshot, "run", "x");
      return steps.size() == 3493 && steps.front() == 7 && steps.back() == 3499 &&
             snapshot.FindRun("run")->damage_count == 0;
    })) << (watch ? "watched" : "polled");
  }
}

TEST(Concurrency, AReaderMayBeDestroyedAtAnyMoment) {
  TempDir dir, cache;
  for (int i = 0; i < 50; ++i) {
    WriteBytes(dir / std::to_string(i) / "tfevents", ScalarRecords("x", 0, 200));
  }
  for (int i = 0; i < 30; ++i) {
    const auto reader =
        OpenReader({.logdirs = {{"", dir.path()}}, .cache_directory = cache.path()});
    for (int k = 0; k < i * 20; ++k) std::this_thread::yield();
    LookAtAll(*reader->snapshot());
  }
}

TEST(Concurrency, WhoWaitsForARefreshIsWokenWhenItIsDone) {
  TempDir dir;
  fs::create_directories(dir / "run");
  const auto reader = OpenReader({.logdirs = {{"", dir.path()}}, .follow = false});
  for (std::int64_t i = 0; i < 20; ++i) {
    Append(dir / "run" / "tfevents", ScalarRecords("x", i, i + 1));
    std::thread other([&] { reader->Refresh(); });
    reader->Refresh();
    ASSERT_EQ(StepsOf(*reader->snapshot(), "run", "x").size(), static_cast<std::size_t>(i + 1));
    other.join();
  }
}

}  // namespace
}  // namespace cboard::reader
