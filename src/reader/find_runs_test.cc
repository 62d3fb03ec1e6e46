#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "cboard/reader/logdir_scan.h"
#include "reader/event_builder.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::TempDir;
using testing::WriteBytes;

std::vector<std::string> RunNames(const std::filesystem::path& logdir) {
  std::vector<Error> unreadable;
  const Result<std::vector<RunFiles>> runs = FindRuns(logdir, unreadable);
  EXPECT_TRUE(runs.has_value());
  std::vector<std::string> names;
  for (const RunFiles& run : runs.value_or(std::vector<RunFiles>())) names.push_back(run.name);
  return names;
}

TEST(FindRuns, ARunIsADirectoryThatHoldsAnEventFile) {
  TempDir dir;
  WriteBytes(dir / "events.out.tfevents.1.host", "");
  WriteBytes(dir / "b" / "deep" / "events.out.tfevents.1.host", "");
  WriteBytes(dir / "a" / "my.tfevents.custom", "");
  WriteBytes(dir / "notes" / "readme.txt", "");
  std::filesystem::create_directories(dir / "c" / "a.tfevents.directory");
  EXPECT_THAT(RunNames(dir.path()), ElementsAre(".", "a", "b/deep"));
}

TEST(FindRuns, ListsFilesInTheOrderOfTheirNames) {
  TempDir dir;
  for (const char* name : {"tfevents.3", "tfevents.1", "tfevents.2"}) WriteBytes(dir / name, "x");
  std::vector<Error> unreadable;
  const auto runs = FindRuns(dir.path(), unreadable);
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_THAT(runs->front().files,
              ElementsAre(dir / "tfevents.1", dir / "tfevents.2", dir / "tfevents.3"));
  EXPECT_EQ(runs->front().size_bytes, 3u);
}

TEST(FindRuns, FollowsLinksToDirectoriesButNotInCircles) {
  TempDir dir, elsewhere;
  WriteBytes(elsewhere / "run" / "tfevents", "");
  WriteBytes(dir / "logs" / "one" / "tfevents", "");
  std::filesystem::create_directory_symlink(elsewhere.path(), dir / "logs" / "other");
  std::filesystem::create_directory_symlink(dir / "logs", dir / "logs" / "one" / "back");
  std::filesystem::create_directory_symlink(dir / "missing", dir / "logs" / "dangling");
  EXPECT_THAT(RunNames(dir / "logs"), ElementsAre("one", "other/run"));
}

TEST(FindRuns, NamesThatAreNotUtf8BecomeValid) {
  TempDir dir;
  WriteBytes(dir / "a\xff" / "tfevents", "");
  EXPECT_THAT(RunNames(dir.path()), ElementsAre("a\uFFFD"));
}

TEST(FindRuns, SaysWhatIsWrongWithTheLogDirectory) {
  TempDir dir;
  WriteBytes(dir / "file", "");
  std::vector<Error> unreadable;
  EXPECT_THAT(FindRuns(dir / "missing", unreadable),
              FailsSaying(ErrorCode::kNotFound, "missing': No such file"));
  EXPECT_THAT(FindRuns(dir / "file", unreadable),
              FailsSaying(ErrorCode::kInvalidArgument, "is a file, not a log directory"));
}

TEST(FindRuns, GivesUpOnFileSystemsThatAreNoLogDirectory) {
  TempDir dir;
  for (int i = 0; i < 10; ++i) std::filesystem::create_directory(dir / std::to_string(i));
  std::vector<Error> unreadable;
  EXPECT_THAT(FindRuns(dir.path(), unreadable, 10), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(FindRuns(dir.path(), unreadable, 11)->size(), 0u);
}

TEST(FindRuns, LinksBetweenAllDirectoriesDoNotMultiply) {
  TempDir dir;
  constexpr int kCount = 12;  // Without a limit, more than 12! paths.
  for (int i = 0; i < kCount; ++i) {
    WriteBytes(dir / std::to_string(i) / "tfevents", "");
    for (int j = 0; j < kCount; ++j) {
      std::filesystem::create_directory_symlink(
          dir / std::to_string(j), dir / std::to_string(i) / ("to" + std::to_string(j)));
    }
  }
  std::vector<Error> unreadable;
  const auto runs = FindRuns(dir.path(), unreadable, /*max_directories=*/1000);
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  for (int i = 0; i < kCount; ++i) {
    EXPECT_EQ(std::ranges::count(*runs, std::to_string(i), &RunFiles::name), 1) << i;
  }
}

TEST(FindRuns, ReportsADirectoryThatCannotBeListedAndGoesOn) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may list every directory";
  TempDir dir;
  WriteBytes(dir / "run" / "tfevents", "");
  std::filesystem::create_directory(dir / "closed");
  std::filesystem::permissions(dir / "closed", std::filesystem::perms::none);
  std::vector<Error> unreadable;
  EXPECT_EQ(FindRuns(dir.path(), unreadable)->size(), 1u);
  EXPECT_EQ(unreadable.size(), 1u);
  std::filesystem::permissions(dir / "closed", std::filesystem::perms::owner_all);
}

TEST(FindRuns, AnEmptyDirectoryHasNone) {
  TempDir dir;
  EXPECT_THAT(RunNames(dir.path()), IsEmpty());
}

}  // namespace
}  // namespace cboard
