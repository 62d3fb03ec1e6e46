#include "reader/live/log_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>

#include "reader/testing/event_builder.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempDir;
using testing::WriteBytes;

namespace fs = std::filesystem;

std::vector<std::string> RunsOf(LogTree& tree) {
  std::vector<std::string> runs;
  tree.ForEachRun([&](const TreeDirectory& directory) {
    runs.push_back(directory.relative.empty() ? "." : directory.relative);
  });
  std::ranges::sort(runs);
  return runs;
}

std::vector<std::string> NamesToRead(LogTree& tree) {
  std::vector<std::string> names;
  for (const auto& file : tree.TakeFilesToRead()) names.push_back(file->name);
  std::ranges::sort(names);
  return names;
}

LogTreeOptions Unwatched(const fs::path& path, std::size_t max_directories = 1000) {
  return {.logdirs = {{"", path}}, .max_directories = max_directories};
}

TEST(LogTree, ARunIsADirectoryThatHoldsAnEventFile) {
  TempDir dir;
  WriteBytes(dir / "events.out.tfevents.1.host", "");
  WriteBytes(dir / "b" / "deep" / "events.out.tfevents.1.host", "");
  WriteBytes(dir / "a" / "my.tfevents.custom", "");
  WriteBytes(dir / "notes" / "readme.txt", "");
  fs::create_directories(dir / "c" / "a.tfevents.directory");
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  EXPECT_THAT(RunsOf(tree), ElementsAre(".", "a", "b/deep"));
  EXPECT_THAT(tree.Unreadable(), IsEmpty());
}

TEST(LogTree, FollowsLinksToDirectoriesButNotInCircles) {
  TempDir dir, elsewhere;
  WriteBytes(elsewhere / "run" / "tfevents", "");
  WriteBytes(dir / "logs" / "one" / "tfevents", "");
  fs::create_directory_symlink(elsewhere.path(), dir / "logs" / "other");
  fs::create_directory_symlink(dir / "logs", dir / "logs" / "one" / "back");
  fs::create_directory_symlink(dir / "missing", dir / "logs" / "dangling");
  LogTree tree(Unwatched(dir / "logs"));
  for (int i = 0; i < 3; ++i) {
    tree.ListAll();
    EXPECT_THAT(RunsOf(tree), ElementsAre("one", "other/run"));
  }
}

TEST(LogTree, LinksBetweenAllDirectoriesDoNotMultiply) {
  TempDir dir;
  constexpr int kCount = 12;  // Without a limit, more than 12! paths.
  for (int i = 0; i < kCount; ++i) {
    WriteBytes(dir / std::to_string(i) / "tfevents", "");
    for (int j = 0; j < kCount; ++j) {
      fs::create_directory_symlink(dir / std::to_string(j),
                                   dir / std::to_string(i) / ("to" + std::to_string(j)));
    }
  }
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  const std::vector<std::string> runs = RunsOf(tree);
  EXPECT_LE(runs.size(), static_cast<std::size_t>(kCount * 17));
  for (int i = 0; i < kCount; ++i) {
    EXPECT_EQ(std::ranges::count(runs, std::to_string(i)), 1) << i;
  }
}

TEST(LogTree, SaysWhatIsWrongWithALogDirectory) {
  TempDir dir;
  WriteBytes(dir / "file", "");
  LogTree missing(Unwatched(dir / "missing"));
  missing.ListAll();
  ASSERT_EQ(missing.Unreadable().size(), 1u);
  EXPECT_EQ(missing.Unreadable()[0].code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.Unreadable()[0].message, HasSubstr("missing' does not exist"));
  LogTree file(Unwatched(dir / "file"));
  file.ListAll();
  ASSERT_EQ(file.Unreadable().size(), 1u);
  EXPECT_THAT(file.Unreadable()[0].message, HasSubstr("is a file, not a log directory"));
}

TEST(LogTree, GivesUpOnFileSystemsThatAreNoLogDirectory) {
  TempDir dir;
  for (int i = 0; i < 10; ++i) fs::create_directory(dir / std::to_string(i));
  LogTree small(Unwatched(dir.path(), 10));
  small.ListAll();
  ASSERT_EQ(small.Unreadable().size(), 1u);
  EXPECT_EQ(small.Unreadable()[0].code, ErrorCode::kResourceExhausted);
  LogTree large(Unwatched(dir.path(), 11));
  large.ListAll();
  EXPECT_THAT(large.Unreadable(), IsEmpty());
}

TEST(LogTree, ReportsADirectoryThatCannotBeListedAndGoesOn) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may list every directory";
  TempDir dir;
  WriteBytes(dir / "run" / "tfevents", "");
  WriteBytes(dir / "closed" / "tfevents", "");
  fs::permissions(dir / "closed", fs::perms::none);
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  EXPECT_THAT(RunsOf(tree), ElementsAre("run"));
  EXPECT_EQ(tree.Unreadable().size(), 1u);
  fs::permissions(dir / "closed", fs::perms::owner_all);
  tree.ListPolled();
  EXPECT_THAT(RunsOf(tree), ElementsAre("closed", "run"));
  EXPECT_THAT(tree.Unreadable(), IsEmpty());
}

// Without the rights of root, if the tests run as root: the files are somebody else's then.
class AsNobody {
 public:
  explicit AsNobody(const fs::path& directory) {
    if (::geteuid() != 0) return;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) Give(entry.path());
    Give(directory);
    ::setfsuid(kNobody);
  }
  ~AsNobody() { ::setfsuid(::geteuid()); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  static void Give(const fs::path& path) { ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0); }
};

TEST(LogTree, ReportsADirectoryWhoseFilesMayNotBeUsed) {
  TempDir dir;
  WriteBytes(dir / "run" / "tfevents", "");
  WriteBytes(dir / "run" / "deeper" / "tfevents", "");
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  {
    const AsNobody limited(dir.path());
    fs::permissions(dir / "run", fs::perms::owner_read);  // Listed, but not entered.
    tree.ListAll();
    EXPECT_THAT(RunsOf(tree), ElementsAre("run", "run/deeper")) << "known files are kept";
    EXPECT_EQ(tree.Unreadable().size(), 2u);
    LogTree fresh(Unwatched(dir.path()));
    fresh.ListAll();
    EXPECT_THAT(RunsOf(fresh), IsEmpty());
    ASSERT_EQ(fresh.Unreadable().size(), 2u);
    EXPECT_THAT(fresh.Unreadable()[0].message, HasSubstr("run': Permission denied"));
    fs::permissions(dir / "run", fs::perms::owner_all);
    fresh.ListPolled();
    EXPECT_THAT(RunsOf(fresh), ElementsAre("run", "run/deeper"));
    EXPECT_THAT(fresh.Unreadable(), IsEmpty());
  }
  tree.ListAll();
  EXPECT_THAT(tree.Unreadable(), IsEmpty());
}

TEST(LogTree, ReportsADirectoryWhosePathIsTooLong) {
  TempDir dir;
  WriteBytes(dir / "run" / "tfevents", "");
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  for (int i = 0; i < 20; ++i) {  // Longer than PATH_MAX in the end.
    const std::string name(250, 'd');
    fs::create_directory(name);
    fs::current_path(name);
  }
  fs::current_path(before);
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  EXPECT_THAT(RunsOf(tree), ElementsAre("run"));
  ASSERT_EQ(tree.Unreadable().size(), 1u);
  EXPECT_THAT(tree.Unreadable()[0].message, HasSubstr("File name too long"));
}

TEST(LogTree, ListsAgainOnlyWhatHasChanged) {
  TempDir dir;
  WriteBytes(dir / "a" / "tfevents.1", "one");
  WriteBytes(dir / "b" / "tfevents.2", "two");
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  EXPECT_THAT(NamesToRead(tree), ElementsAre("tfevents.1", "tfevents.2"));
  EXPECT_EQ(tree.TakeChangedRuns().size(), 2u);
  tree.ListPolled();
  EXPECT_THAT(NamesToRead(tree), IsEmpty());
  EXPECT_FALSE(tree.has_changes());

  WriteBytes(dir / "b" / "tfevents.2", "two and more");
  WriteBytes(dir / "b" / "tfevents.3", "");
  tree.ListPolled();
  EXPECT_THAT(NamesToRead(tree), ElementsAre("tfevents.2", "tfevents.3"));
}

TEST(LogTree, AFileThatIsRenamedStaysTheSame) {
  TempDir dir;
  WriteBytes(dir / "tune_1" / "deep" / "tfevents", "x");
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  const std::vector<std::shared_ptr<TreeFile>> before = tree.TakeFilesToRead();
  ASSERT_EQ(before.size(), 1u);
  fs::rename(dir / "tune_1", dir / "tune_1_acc_0.095");
  tree.ListPolled();
  const std::vector<std::shared_ptr<TreeFile>> after = tree.TakeFilesToRead();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[0]->path(), dir / "tune_1_acc_0.095" / "deep" / "tfevents");
}

TEST(LogTree, AFileInThePlaceOfAnotherIsAnother) {
  TempDir dir;
  WriteBytes(dir / "tfevents", "old");
  LogTree tree(Unwatched(dir.path()));
  tree.ListAll();
  const auto before = tree.TakeFilesToRead();
  WriteBytes(dir / "new", "new");
  fs::rename(dir / "new", dir / "tfevents");
  tree.ListPolled();
  const auto after = tree.TakeFilesToRead();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_NE(after[0], before[0]);
}

TEST(LogTree, ALogDirectoryMayComeGoAndComeBack) {
  TempDir dir;
  LogTree tree(Unwatched(dir / "logs"));
  tree.ListAll();
  EXPECT_EQ(tree.Unreadable().size(), 1u);
  for (int i = 0; i < 2; ++i) {
    WriteBytes(dir / "logs" / "run" / "tfevents", "");
    tree.CheckLogdirs();
    EXPECT_THAT(RunsOf(tree), ElementsAre("run"));
    EXPECT_THAT(tree.Unreadable(), IsEmpty());
    fs::remove_all(dir / "logs");
    tree.CheckLogdirs();
    EXPECT_THAT(RunsOf(tree), IsEmpty());
    EXPECT_EQ(tree.Unreadable().size(), 1u);
  }
}

class WatchedTree : public ::testing::Test {
 protected:
  WatchedTree()
      : watcher_(*ChangeWatcher::Create()),
        tree_({.logdirs = {{"", dir_.path()}}, .watcher = watcher_.get()}) {}

  void ApplyChanges() {
    watcher_->ForEachChange([this](const Change& change) { tree_.Apply(change); });
  }

  TempDir dir_;
  std::unique_ptr<ChangeWatcher> watcher_;
  LogTree tree_;
};

TEST_F(WatchedTree, DirectoriesBeyondTheLimitArePolled) {
  for (int i = 0; i < 9; ++i) WriteBytes(dir_ / std::to_string(i) / "tfevents", "1");
  LogTree tree({.logdirs = {{"", dir_.path()}}, .watcher = watcher_.get(), .max_watches = 4});
  tree.ListAll();
  tree.StartWatching();
  EXPECT_EQ(tree.watch_count(), 4u);
  ASSERT_TRUE(tree.watch_error().has_value());
  EXPECT_THAT(tree.watch_error()->message, HasSubstr("only 4 directories are watched"));
  tree.TakeFilesToRead();

  for (int i = 0; i < 9; ++i) WriteBytes(dir_ / std::to_string(i) / "tfevents", "1 and 2");
  watcher_->ForEachChange([&](const Change& change) { tree.Apply(change); });
  EXPECT_EQ(tree.TakeFilesToRead().size(), 3u);  // The log directory has the fourth watch.
  tree.ListPolled();
  EXPECT_EQ(tree.TakeFilesToRead().size(), 6u);

  // Directories that go away leave their watches to others.
  for (int i = 0; i < 9; ++i) {
    if (i % 3 != 0) fs::remove_all(dir_ / std::to_string(i));
  }
  watcher_->ForEachChange([&](const Change& change) { tree.Apply(change); });
  tree.ListPolled();
  tree.ListPolled();
  EXPECT_EQ(tree.watch_count(), 4u);
  for (const int i : {0, 3, 6}) WriteBytes(dir_ / std::to_string(i) / "tfevents", "1, 2 and 3");
  watcher_->ForEachChange([&](const Change& change) { tree.Apply(change); });
  EXPECT_EQ(tree.TakeFilesToRead().size(), 3u);
}

TEST(ChangeWatcher, LeavesMostWatchesToOtherPrograms) {
  EXPECT_GE(DefaultMaxWatches(), 1u);
  EXPECT_LE(DefaultMaxWatches(), 65'536u);
}

// Long before the tree looks at it.
void MakeOld(const fs::path& path) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

TEST_F(WatchedTree, NothingIsMissedBetweenTheFirstListingAndTheWatches) {
  for (const char* run : {"same", "grows", "goes", "moves"}) {
    WriteBytes(dir_ / run / run / "tfevents", "1");
    MakeOld(dir_ / run / run / "tfevents");
  }
  tree_.ListAll();
  EXPECT_EQ(tree_.watch_count(), 0u);
  EXPECT_EQ(NamesToRead(tree_).size(), 4u);
  const auto read = [&] {
    std::vector<std::string> paths;
    for (const auto& file : tree_.TakeFilesToRead()) paths.push_back(file->directory->relative);
    std::ranges::sort(paths);
    return paths;
  };
  std::ofstream(dir_ / "grows" / "grows" / "tfevents", std::ios::app) << "2";
  fs::remove_all(dir_ / "goes");
  fs::rename(dir_ / "moves", dir_ / "moved");
  WriteBytes(dir_ / "comes" / "tfevents", "1");
  tree_.StartWatching();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("comes", "grows/grows", "moved/moves", "same/same"));
  EXPECT_THAT(read(), ElementsAre("comes", "grows/grows", "moved/moves"));
  EXPECT_EQ(tree_.watch_count(), 8u);

  std::ofstream(dir_ / "same" / "same" / "tfevents", std::ios::app) << "2";
  WriteBytes(dir_ / "comes" / "later" / "tfevents", "1");
  ApplyChanges();
  EXPECT_THAT(read(), ElementsAre("comes/later", "same/same"));
}

TEST_F(WatchedTree, AFileThatWasNewAtTheFirstListingIsReadAgainThoughItLooksTheSame) {
  WriteBytes(dir_ / "old" / "tfevents", "1");
  MakeOld(dir_ / "old" / "tfevents");
  WriteBytes(dir_ / "new" / "tfevents", "1");
  const auto written = fs::last_write_time(dir_ / "new" / "tfevents");
  tree_.ListAll();
  EXPECT_EQ(tree_.TakeFilesToRead().size(), 2u);
  // As file systems whose clock stands still for a moment show it.
  std::ofstream(dir_ / "new" / "tfevents") << "2";
  fs::last_write_time(dir_ / "new" / "tfevents", written);
  tree_.StartWatching();
  const auto files = tree_.TakeFilesToRead();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0]->directory->relative, "new");
}

TEST_F(WatchedTree, HearsOfNewRunsAndOfGrowingFiles) {
  tree_.StartWatching();
  WriteBytes(dir_ / "a" / "b" / "tfevents", "1");
  ApplyChanges();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("a/b"));
  EXPECT_THAT(NamesToRead(tree_), ElementsAre("tfevents"));
  std::ofstream(dir_ / "a" / "b" / "tfevents", std::ios::app) << "2";
  ApplyChanges();
  EXPECT_THAT(NamesToRead(tree_), ElementsAre("tfevents"));
  ApplyChanges();
  EXPECT_THAT(NamesToRead(tree_), IsEmpty());
}

TEST_F(WatchedTree, ALinkedDirectoryIsTheOneThatTheLinkLeadsToNow) {
  TempDir elsewhere;
  WriteBytes(elsewhere / "old" / "logs" / "a" / "tfevents", "1");
  WriteBytes(elsewhere / "new" / "logs" / "b" / "tfevents", "1");
  fs::create_symlink("old", elsewhere / "current");
  fs::create_directory_symlink(elsewhere / "current" / "logs", dir_ / "link");
  tree_.ListAll();
  tree_.StartWatching();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("link/a"));
  const auto poll = [&] {
    ApplyChanges();
    tree_.ListPolled();
    return RunsOf(tree_);
  };
  fs::create_symlink("new", elsewhere / "next");  // Nothing changes in a directory of the tree.
  fs::rename(elsewhere / "next", elsewhere / "current");
  EXPECT_THAT(poll(), ElementsAre("link/b"));
  fs::remove(elsewhere / "current");
  EXPECT_THAT(poll(), IsEmpty());
  fs::create_symlink("old", elsewhere / "current");
  EXPECT_THAT(poll(), ElementsAre("link/a"));
}

TEST_F(WatchedTree, ALinkMayBeMadeBeforeItsTarget) {
  TempDir elsewhere;
  fs::create_directory_symlink(elsewhere / "later", dir_ / "first");
  tree_.ListAll();
  tree_.StartWatching();
  fs::create_symlink(elsewhere / "file", dir_ / "tfevents");
  ApplyChanges();
  EXPECT_THAT(RunsOf(tree_), IsEmpty());
  WriteBytes(elsewhere / "later" / "tfevents", "1");
  WriteBytes(elsewhere / "file", "1");
  tree_.ListPolled();
  EXPECT_THAT(RunsOf(tree_), ElementsAre(".", "first"));
}

TEST_F(WatchedTree, AFileThatGetsASecondNameIsPolledUnderTheFirst) {
  WriteBytes(dir_ / "a" / "tfevents", "1");
  tree_.ListAll();
  tree_.StartWatching();
  fs::create_directory(dir_ / "b");
  fs::create_hard_link(dir_ / "a" / "tfevents", dir_ / "b" / "tfevents");
  ApplyChanges();
  tree_.ListPolled();
  tree_.TakeFilesToRead();
  std::ofstream(dir_ / "b" / "tfevents", std::ios::app) << "2";
  ApplyChanges();
  tree_.ListPolled();
  std::vector<std::string> runs;
  for (const auto& file : tree_.TakeFilesToRead()) runs.push_back(file->directory->relative);
  std::ranges::sort(runs);
  EXPECT_THAT(runs, ElementsAre("a", "b"));
}

TEST_F(WatchedTree, ADirectoryOverWhichAFileSystemIsMountedIsListedAgain) {
  WriteBytes(dir_ / "run" / "tfevents", "1");
  tree_.ListAll();
  tree_.StartWatching();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("run"));
  if (::mount("none", (dir_ / "run").c_str(), "tmpfs", 0, nullptr) != 0) {
    GTEST_SKIP() << "only root may mount";
  }
  WriteBytes(dir_ / "run" / "inner" / "tfevents", "1");
  ApplyChanges();
  tree_.ListPolled();
  const std::vector<std::string> runs = RunsOf(tree_);
  ::umount2((dir_ / "run").c_str(), MNT_DETACH);
  EXPECT_THAT(runs, ElementsAre("run/inner"));
  ApplyChanges();
  tree_.ListPolled();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("run"));
}

TEST_F(WatchedTree, HearsOfRenamingAndKeepsTheFile) {
  WriteBytes(dir_ / "a" / "tfevents", "1");
  tree_.StartWatching();
  const auto before = tree_.TakeFilesToRead();
  for (int i = 0; i < 10; ++i) {
    fs::rename(dir_ / (i == 0 ? "a" : std::to_string(i - 1)), dir_ / std::to_string(i));
    if (i % 3 == 0) ApplyChanges();
  }
  ApplyChanges();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("9"));
  const auto after = tree_.TakeFilesToRead();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(tree_.watch_count(), 2u);

  std::ofstream(dir_ / "9" / "tfevents", std::ios::app) << "2";  // Still watched.
  ApplyChanges();
  EXPECT_THAT(NamesToRead(tree_), ElementsAre("tfevents"));
}

TEST_F(WatchedTree, ADirectoryThatIsDeletedAndMadeAgainIsWatchedAgain) {
  tree_.StartWatching();
  for (int i = 0; i < 20; ++i) {
    WriteBytes(dir_ / "run" / "tfevents", "1");
    if (i % 2 == 0) ApplyChanges();
    fs::remove_all(dir_ / "run");
    if (i % 3 == 0) ApplyChanges();
  }
  WriteBytes(dir_ / "run" / "tfevents", "1");
  ApplyChanges();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("run"));
  NamesToRead(tree_);
  std::ofstream(dir_ / "run" / "tfevents", std::ios::app) << "2";
  ApplyChanges();
  EXPECT_THAT(NamesToRead(tree_), ElementsAre("tfevents"));
}

// After too many changes for the system's queue, everything is listed again.
TEST_F(WatchedTree, SwappedDirectoriesThatAreListedTogetherStayWatched) {
  WriteBytes(dir_ / "a" / "tfevents.a", "1");
  WriteBytes(dir_ / "b" / "tfevents.b", "1");
  tree_.ListAll();
  tree_.StartWatching();
  fs::rename(dir_ / "a", dir_ / "c");
  fs::rename(dir_ / "b", dir_ / "a");
  fs::rename(dir_ / "c", dir_ / "b");
  watcher_->ForEachChange([](const Change&) {});
  tree_.ListAll();
  NamesToRead(tree_);
  std::ofstream(dir_ / "a" / "tfevents.b", std::ios::app) << "2";
  std::ofstream(dir_ / "b" / "tfevents.a", std::ios::app) << "2";
  ApplyChanges();
  EXPECT_THAT(NamesToRead(tree_), ElementsAre("tfevents.a", "tfevents.b"));
}

TEST_F(WatchedTree, ALogDirectoryThatIsMadeAgainAtOnceIsWatchedAgain) {
  tree_.StartWatching();
  for (int i = 0; i < 50; ++i) {  // Often enough with the same inode.
    fs::remove_all(dir_.path());
    WriteBytes(dir_ / "run" / "tfevents", "1");
    ApplyChanges();
    ASSERT_THAT(RunsOf(tree_), ElementsAre("run")) << i;
    NamesToRead(tree_);
    std::ofstream(dir_ / "run" / "tfevents", std::ios::app) << "2";
    ApplyChanges();
    ASSERT_THAT(NamesToRead(tree_), ElementsAre("tfevents")) << i;
  }
}

TEST_F(WatchedTree, ADirectoryMayHaveSeveralPaths) {
  TempDir elsewhere;
  WriteBytes(elsewhere / "tfevents", "1");
  fs::create_directory_symlink(elsewhere.path(), dir_ / "x");
  fs::create_directory_symlink(elsewhere.path(), dir_ / "y");
  tree_.StartWatching();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("x", "y"));
  NamesToRead(tree_);
  std::ofstream(elsewhere / "tfevents", std::ios::app) << "2";
  ApplyChanges();
  EXPECT_THAT(NamesToRead(tree_), ElementsAre("tfevents", "tfevents"));
  fs::remove(dir_ / "x");
  ApplyChanges();
  EXPECT_THAT(RunsOf(tree_), ElementsAre("y"));
  fs::remove_all(elsewhere.path());
  ApplyChanges();
  EXPECT_THAT(RunsOf(tree_), IsEmpty());
}

TEST_F(WatchedTree, AfterAnOverflowEverythingIsListedAgain) {
  tree_.StartWatching();
  WriteBytes(dir_ / "run" / "tfevents", "1");
  tree_.Apply({.kind = ChangeKind::kLost});
  EXPECT_THAT(RunsOf(tree_), ElementsAre("run"));
}

}  // namespace
}  // namespace cboard::reader
