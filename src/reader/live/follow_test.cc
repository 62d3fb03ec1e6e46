// Following: what happens after the start. Every test runs twice, with reports of the system and
// with polling only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "cboard/record/record_writer.h"
#include "reader/live/followed_file.h"
#include "reader/testing/live_test_support.h"
#include "testing/child_process.h"

namespace cboard::reader {
namespace {

using testing::Append;
using testing::Becomes;
using ::testing::ElementsAre;
using testing::LoadedReader;
using testing::OpenReader;
using testing::RunNames;
using testing::ScalarRecords;
using testing::StepsOf;
using testing::TempDir;
using testing::WriteBytes;

namespace fs = std::filesystem;

class Following : public ::testing::TestWithParam<bool> {
 protected:
  ReaderOptions Options() const {
    return {.logdirs = {{"", dir_.path()}},
            .poll_interval = std::chrono::milliseconds(20),
            .watch = GetParam()};
  }

  static bool HasSteps(const LogReader& reader, const std::string& run, std::size_t count) {
    return Becomes(reader, [&](const Snapshot& snapshot) {
      return StepsOf(snapshot, run, "x").size() == count;
    });
  }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(, Following, ::testing::Bool(),
                         [](const auto& by) { return by.param ? "Watched" : "Polled"; });

TEST_P(Following, ReadsOnlyWhatIsNewOfAFileThatGrows) {
  std::uint64_t bytes = 0;
  const auto add = [&](std::int64_t first, std::int64_t end) {
    const std::string records = ScalarRecords("x", first, end);
    bytes += records.size();
    fs::create_directories(dir_ / "run");
    Append(dir_ / "run" / "tfevents", records);
  };
  add(0, 1000);
  const auto reader = LoadedReader(Options());
  for (int i = 0; i < 20; ++i) {
    add(1000 + i, 1001 + i);
    ASSERT_TRUE(HasSteps(*reader, "run", static_cast<std::size_t>(1001 + i)));
    EXPECT_EQ(reader->statistics().bytes_read, bytes);
  }
}

TEST_P(Following, ATornRecordIsCompletedLater) {
  const std::string records = ScalarRecords("x", 1, 3);
  const std::size_t cut = records.size() / 2 + 7;
  WriteBytes(dir_ / "run" / "tfevents", records.substr(0, cut));
  const auto reader = LoadedReader(Options());
  EXPECT_EQ(StepsOf(*reader->snapshot(), "run", "x").size(), 1u);
  EXPECT_EQ(reader->snapshot()->FindRun("run")->files[0]->torn_bytes, 7u);
  Append(dir_ / "run" / "tfevents", records.substr(cut, 1));
  EXPECT_TRUE(Becomes(*reader, [](const Snapshot& snapshot) {
    return snapshot.FindRun("run")->files[0]->torn_bytes == 8;
  }));
  Append(dir_ / "run" / "tfevents", records.substr(cut + 1));
  EXPECT_TRUE(HasSteps(*reader, "run", 2));
  EXPECT_EQ(reader->snapshot()->FindRun("run")->damage_count, 0u);
}

TEST_P(Following, AllFilesOfARunAreReadOn) {
  WriteBytes(dir_ / "run" / "tfevents.1", ScalarRecords("x", 0, 2));
  const auto reader = LoadedReader(Options());
  WriteBytes(dir_ / "run" / "tfevents.2", ScalarRecords("x", 10, 12));
  EXPECT_TRUE(HasSteps(*reader, "run", 4));
  Append(dir_ / "run" / "tfevents.1", ScalarRecords("x", 2, 3));
  EXPECT_TRUE(HasSteps(*reader, "run", 5));
  EXPECT_THAT(StepsOf(*reader->snapshot(), "run", "x"), ElementsAre(0, 1, 2, 10, 11));
}

TEST_P(Following, ARunThatDidNotChangeIsTheSameObject) {
  WriteBytes(dir_ / "still" / "tfevents", ScalarRecords("x", 0, 2));
  WriteBytes(dir_ / "busy" / "tfevents", ScalarRecords("x", 0, 2));
  const auto reader = LoadedReader(Options());
  const auto before = reader->snapshot();
  Append(dir_ / "busy" / "tfevents", ScalarRecords("x", 2, 3));
  ASSERT_TRUE(HasSteps(*reader, "busy", 3));
  const auto after = reader->snapshot();
  EXPECT_EQ(after->FindRun("still"), before->FindRun("still"));
  EXPECT_NE(after->FindRun("busy"), before->FindRun("busy"));
  EXPECT_GT(after->FindRun("busy")->version, before->version);
  EXPECT_EQ(StepsOf(*before, "busy", "x").size(), 2u) << "a snapshot never changes";
}

TEST_P(Following, AReplacedFileIsReadAnew) {
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 0, 5));
  const auto reader = LoadedReader(Options());
  WriteBytes(dir_ / "new", ScalarRecords("x", 100, 120));
  fs::rename(dir_ / "new", dir_ / "run" / "tfevents");
  ASSERT_TRUE(HasSteps(*reader, "run", 20));
  EXPECT_EQ(StepsOf(*reader->snapshot(), "run", "x").front(), 100);
}

TEST_P(Following, AShortenedFileIsReadAnew) {
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 0, 50));
  const auto reader = LoadedReader(Options());
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 7, 9));
  ASSERT_TRUE(HasSteps(*reader, "run", 2));
  EXPECT_THAT(StepsOf(*reader->snapshot(), "run", "x"), ElementsAre(7, 8));
}

TEST_P(Following, AFileThatIsWrittenOverIsReadAnewAlsoWhenItGotLonger) {
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 0, 50));
  const auto reader = LoadedReader(Options());
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 1000, 1100));
  ASSERT_TRUE(HasSteps(*reader, "run", 100));
  EXPECT_EQ(reader->snapshot()->FindRun("run")->damage_count, 0u);
}

TEST_P(Following, AFileThatIsWrittenOverIsReadAnewAlsoWhenItsSizeStaysTheSame) {
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 60, 110));
  const auto reader = LoadedReader(Options());
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 10, 60));
  EXPECT_TRUE(Becomes(*reader, [](const Snapshot& snapshot) {
    const std::vector<std::int64_t> steps = StepsOf(snapshot, "run", "x");
    return steps.size() == 50 && steps.front() == 10;
  }));
}

// Slices of a download, rsync --inplace, files with room for more: what comes first is not first.
TEST_P(Following, AFileWhoseBeginningComesLastIsReadAnew) {
  const std::string records = ScalarRecords("x", 0, 3000);
  const std::size_t half = records.size() / 2;
  const std::string zeros(records.size(), '\0');
  WriteBytes(dir_ / "second half" / "tfevents", zeros.substr(half) + records.substr(half));
  WriteBytes(dir_ / "only room" / "tfevents", zeros);
  const auto reader = LoadedReader(Options());
  for (const char* run : {"second half", "only room"}) {
    EXPECT_LT(StepsOf(*reader->snapshot(), run, "x").size(), 1501u);
    std::fstream file(dir_ / run / "tfevents", std::ios::in | std::ios::out | std::ios::binary);
    const auto write = [&](std::size_t begin, std::size_t end) {
      file.seekp(static_cast<std::streamoff>(begin));
      file << records.substr(begin, end - begin) << std::flush;
    };
    write(half / 2, half);
    write(half, records.size());
    write(0, half / 2);
    EXPECT_TRUE(HasSteps(*reader, run, 3000)) << run;
    EXPECT_EQ(reader->snapshot()->FindRun(run)->damage_count, 0u) << run;
  }
}

TEST_P(Following, AHoleThatIsFilledWhileTheFileGrowsIsReadAnew) {
  const std::string records = ScalarRecords("x", 0, 1000);
  std::string holed = records;
  std::fill(holed.begin() + 5000, holed.begin() + 15000, '\0');
  WriteBytes(dir_ / "run" / "tfevents", holed);
  const auto reader = LoadedReader(Options());
  EXPECT_EQ(reader->snapshot()->FindRun("run")->damage_count, 1u);
  {
    std::fstream file(dir_ / "run" / "tfevents", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file << records.substr(5000, 10000);
    file.seekp(0, std::ios::end);
    file << ScalarRecords("x", 1000, 1100);
  }
  EXPECT_TRUE(HasSteps(*reader, "run", 1100));
  EXPECT_EQ(reader->snapshot()->FindRun("run")->damage_count, 0u);
}

// The edit lies between two samples, and the file has grown when the reader looks at it: by whole
// records, or by a part of one.
TEST(FollowedFile, NoticesAnEditThatCameWithGrowth) {
  const std::string more = ScalarRecords("x", 3000, 3010);
  for (const auto& [growth, new_events] :
       {std::pair(more, 10u), std::pair(more.substr(0, 20), 0u)}) {
    const TempDir dir;
    const std::string path = (dir / "tfevents").native();
    const std::string records = ScalarRecords("x", 0, 3000);
    WriteBytes(path, records);
    FollowedFile file;
    const ReadOptions options{.prove_after = std::chrono::milliseconds(0)};
    const auto read = [&] { return file.Read(path, FileStatus{}, options); };
    EXPECT_FALSE(read().read_again_at);  // It has not grown.

    std::string edited = records;
    edited[records.size() / 45 + 500] ^= 1;
    WriteBytes(path, edited + growth);
    const ReadOutcome grown = read();
    EXPECT_EQ(grown.view->event_count, 3000 + new_events);
    EXPECT_EQ(grown.view->damage_count, 0u);
    ASSERT_TRUE(grown.read_again_at);

    std::this_thread::sleep_until(*grown.read_again_at);
    const ReadOutcome proven = read();
    EXPECT_EQ(proven.view->event_count, 2999 + new_events);
    EXPECT_EQ(proven.view->damage_count, 1u);
    EXPECT_FALSE(proven.read_again_at);
  }
}

TEST(FollowedFile, ProvesGrowthOnce) {
  const TempDir dir;
  const std::string path = (dir / "tfevents").native();
  WriteBytes(path, ScalarRecords("x", 0, 3000));
  FollowedFile file;
  const ReadOptions options{.prove_after = std::chrono::milliseconds(0)};
  const auto read = [&] { return file.Read(path, FileStatus{}, options); };
  const std::uint64_t generation = read().generation;
  Append(path, ScalarRecords("x", 3000, 3010));
  const ReadOutcome grown = read();
  ASSERT_TRUE(grown.read_again_at);
  std::this_thread::sleep_until(*grown.read_again_at);
  const ReadOutcome proven = read();
  EXPECT_EQ(proven.generation, generation);  // The points that were read are kept.
  EXPECT_EQ(proven.view->event_count, 3010u);
  EXPECT_FALSE(proven.read_again_at);
}

TEST_P(Following, ADamagedFileThatGrowsIsReadOn) {
  std::string records = ScalarRecords("x", 0, 1000);
  records[5000] = static_cast<char>(records[5000] ^ 1);
  WriteBytes(dir_ / "run" / "tfevents", records);
  const auto reader = LoadedReader(Options());
  const std::uint64_t bytes = reader->statistics().bytes_read;
  const std::string more = ScalarRecords("x", 1000, 1100);
  Append(dir_ / "run" / "tfevents", more);
  EXPECT_TRUE(HasSteps(*reader, "run", 1099));
  EXPECT_EQ(reader->statistics().bytes_read, bytes + more.size());
}

TEST_P(Following, ARecordThatHoldsRecordsIsOneOnceItIsWhole) {
  std::string outer;
  record::AppendRecord(AsBytes(ScalarRecords("inner", 0, 100)), outer);
  WriteBytes(dir_ / "run" / "tfevents",
             ScalarRecords("x", 0, 10) + outer.substr(0, outer.size() - 50));
  const auto reader = LoadedReader(Options());
  Append(dir_ / "run" / "tfevents", outer.substr(outer.size() - 50) + ScalarRecords("x", 10, 20));
  EXPECT_TRUE(Becomes(*reader, [](const Snapshot& snapshot) {
    return StepsOf(snapshot, "run", "x").size() == 20 &&
           snapshot.FindTag("run", "inner") == nullptr;
  }));
}

TEST_P(Following, ARenamedDirectoryKeepsWhatWasReadOfIt) {
  WriteBytes(dir_ / "tune_1" / "deep" / "tfevents", ScalarRecords("x", 0, 500));
  const auto reader = LoadedReader(Options());
  const std::uint64_t bytes = reader->statistics().bytes_read;
  fs::rename(dir_ / "tune_1", dir_ / "tune_1_acc_0.095");
  ASSERT_TRUE(HasSteps(*reader, "tune_1_acc_0.095/deep", 500));
  ASSERT_TRUE(Becomes(*reader, [](const Snapshot& snapshot) { return snapshot.runs.size() == 1; }));
  EXPECT_EQ(reader->statistics().bytes_read, bytes);
  EXPECT_EQ(reader->snapshot()->runs[0]->files[0]->path,
            dir_ / "tune_1_acc_0.095" / "deep" / "tfevents");
  Append(dir_ / "tune_1_acc_0.095" / "deep" / "tfevents", ScalarRecords("x", 500, 501));
  EXPECT_TRUE(HasSteps(*reader, "tune_1_acc_0.095/deep", 501));
}

TEST_P(Following, ADirectoryThatIsDeletedAndMadeAgainIsReadAnew) {
  const auto reader = LoadedReader(Options());
  for (std::int64_t i = 1; i <= 5; ++i) {
    WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 100 * i, 100 * i + i));
    ASSERT_TRUE(HasSteps(*reader, "run", static_cast<std::size_t>(i)));
    EXPECT_EQ(StepsOf(*reader->snapshot(), "run", "x").front(), 100 * i);
    fs::remove_all(dir_ / "run");
    ASSERT_TRUE(Becomes(*reader, [](const Snapshot& snapshot) { return snapshot.runs.empty(); }));
  }
}

TEST_P(Following, ALogDirectoryThatIsMissingIsWaitedFor) {
  ReaderOptions options = Options();
  options.logdirs[0].path = dir_ / "later";
  const auto reader = LoadedReader(options);
  EXPECT_EQ(reader->snapshot()->unreadable.size(), 1u);
  WriteBytes(dir_ / "later" / "run" / "tfevents", ScalarRecords("x", 0, 1));
  EXPECT_TRUE(HasSteps(*reader, "run", 1));
  EXPECT_TRUE(reader->snapshot()->unreadable.empty());
}

TEST_P(Following, LinkedDirectoriesAreFollowedToo) {
  TempDir elsewhere;
  WriteBytes(elsewhere / "tfevents", ScalarRecords("x", 0, 1));
  const auto reader = LoadedReader(Options());
  fs::create_directory_symlink(elsewhere.path(), dir_ / "link");
  fs::create_directory_symlink(dir_.path(), dir_ / "loop");
  EXPECT_TRUE(HasSteps(*reader, "link", 1));
  Append(elsewhere / "tfevents", ScalarRecords("x", 1, 2));
  EXPECT_TRUE(HasSteps(*reader, "link", 2));
  EXPECT_THAT(RunNames(*reader->snapshot()), ElementsAre("link"));
}

TEST_P(Following, AFileThatBecomesReadableIsRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  WriteBytes(dir_ / "run" / "tfevents", ScalarRecords("x", 0, 3));
  fs::permissions(dir_ / "run" / "tfevents", fs::perms::none);
  const auto reader = LoadedReader(Options());
  EXPECT_TRUE(reader->snapshot()->FindRun("run")->files[0]->error);
  fs::permissions(dir_ / "run" / "tfevents", fs::perms::owner_all);
  EXPECT_TRUE(HasSteps(*reader, "run", 3));
  EXPECT_FALSE(reader->snapshot()->FindRun("run")->files[0]->error);
}

TEST_P(Following, EverythingIsThereAfterAThousandRenamesDuringTheLoad) {
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) {
    WriteBytes(dir_ / ("run" + std::to_string(i) + "_0") / "tfevents", ScalarRecords("x", 0, 500));
  }
  std::thread renamer([&] {
    for (int round = 0; round < 1000 / kRuns; ++round) {
      for (int i = 0; i < kRuns; ++i) {
        const std::string stem = "run" + std::to_string(i) + "_";
        fs::rename(dir_ / (stem + std::to_string(round)),
                   dir_ / (stem + std::to_string(round + 1)));
      }
    }
  });
  const auto reader = OpenReader(Options());
  renamer.join();
  EXPECT_TRUE(Becomes(*reader, [&](const Snapshot& snapshot) {
    return snapshot.runs.size() == kRuns &&
           std::ranges::all_of(snapshot.runs, [&](const auto& run) {
             return run->name.ends_with("_50") && StepsOf(snapshot, run->name, "x").size() == 500 &&
                    run->damage_count == 0;
           });
  }));
}

TEST_P(Following, ListenersSeeEverySnapshotInOrder) {
  std::vector<std::uint64_t> versions;
  const auto reader = LoadedReader(Options());
  auto listening = reader->Listen([&](const std::shared_ptr<const Snapshot>& snapshot) {
    versions.push_back(snapshot->version);
  });
  for (std::int64_t i = 0; i < 10; ++i) {
    fs::create_directories(dir_ / "run");
    Append(dir_ / "run" / "tfevents", ScalarRecords("x", i, i + 1));
    ASSERT_TRUE(HasSteps(*reader, "run", static_cast<std::size_t>(i + 1)));
  }
  listening.reset();
  EXPECT_GE(versions.size(), 9u);
  EXPECT_TRUE(std::ranges::is_sorted(versions));
}

TEST(FollowingByReports, AnAppendedEventIsInTheNextSnapshotAndOnlyItsBytesAreRead) {
  TempDir dir;
  WriteBytes(dir / "run" / "tfevents", ScalarRecords("x", 0, 10'000));
  const auto reader = LoadedReader({.logdirs = {{"", dir.path()}}});
  std::uint64_t bytes = reader->statistics().bytes_read;
  std::vector<double> milliseconds;
  for (std::int64_t step = 10'000; step < 11'000; ++step) {
    const std::string record = ScalarRecords("x", step, step + 1);
    const auto begin = std::chrono::steady_clock::now();
    Append(dir / "run" / "tfevents", record);
    bytes += record.size();
    ASSERT_TRUE(Becomes(*reader, [&](const Snapshot& snapshot) {
      return snapshot.FindTag("run", "x")->size() == static_cast<std::size_t>(step + 1);
    }));
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    milliseconds.push_back(taken.count());
    ASSERT_EQ(reader->statistics().bytes_read, bytes);
  }
  std::ranges::sort(milliseconds);
  std::printf("appended event visible after %.3f ms (median), %.3f ms (99 %%)\n", milliseconds[500],
              milliseconds[990]);
}

TEST(FollowingByReports, WatchesEveryDirectory) {
  TempDir dir;
  WriteBytes(dir / "a" / "b" / "tfevents", ScalarRecords("x", 0, 1));
  const auto reader = LoadedReader({.logdirs = {{"", dir.path()}}});
  reader->Refresh();  // Watching begins when everything is loaded.
  EXPECT_EQ(reader->statistics().watched_directories, 3u);
  EXPECT_TRUE(reader->snapshot()->notices.empty());
}

// In a child with a user namespace of its own, in which few watches are allowed.
bool AllowFewWatches(const char* count) {
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream limit("/proc/sys/user/max_inotify_watches");
  limit << count << std::flush;
  return limit.good();
}

TEST(FollowingByReports, BeyondTheLimitOfTheSystemTheRestIsPolledAndItIsSaid) {
  CBOARD_SKIP_UNLESS_CHILDREN_MAY_START_THREADS();
  if (!testing::HoldsInChild([] { return AllowFewWatches("2"); })) {
    GTEST_SKIP() << "this system does not let tests limit watches";
  }
  TempDir dir;
  for (const char* run : {"a", "b", "c", "d"}) {
    WriteBytes(dir / run / "tfevents", ScalarRecords("x", 0, 1));
  }
  EXPECT_TRUE(testing::HoldsInChild([&] {
    AllowFewWatches("2");
    const auto reader = LoadedReader(
        {.logdirs = {{"", dir.path()}}, .poll_interval = std::chrono::milliseconds(20)});
    reader->Refresh();
    const auto loaded = reader->snapshot();
    if (loaded->runs.size() != 4 || loaded->notices.size() != 1) return false;
    if (reader->statistics().watched_directories != 2) return false;
    for (const char* run : {"a", "b", "c", "d"}) {
      Append(dir / run / "tfevents", ScalarRecords("x", 1, 2));
      if (!Becomes(*reader, [&](const Snapshot& s) { return StepsOf(s, run, "x").size() == 2; })) {
        return false;
      }
    }
    return true;
  }));
}

}  // namespace
}  // namespace cboard::reader
