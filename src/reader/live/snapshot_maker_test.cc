#include "reader/live/snapshot_maker.h"

#include <gtest/gtest.h>

#include "reader/testing/live_test_support.h"

namespace cboard::reader {
namespace {

using testing::ScalarRecords;
using testing::StepsOf;
using testing::TempDir;
using testing::WriteBytes;

namespace fs = std::filesystem;

void ReadAll(LogTree& tree) {
  for (const auto& file : tree.TakeFilesToRead()) {
    file->view = file->content->Read(file->path(), file->seen, ReadOptions{}).view;
  }
}

TEST(SnapshotMaker, ARenamedRunNamesItsFilesRightlyBeforeTheyAreReadAgain) {
  TempDir dir;
  WriteBytes(dir / "tune_1" / "tfevents", ScalarRecords("x", 0, 3) + std::string(40, '?'));
  const std::vector<Logdir> logdirs = {{"", dir.path()}};
  LogTree tree({.logdirs = logdirs});
  SnapshotMaker maker(logdirs, /*purge=*/true, /*workers=*/nullptr);
  tree.ListAll();
  ReadAll(tree);
  const std::shared_ptr<Snapshot> before = maker.Make(tree);
  fs::rename(dir / "tune_1", dir / "tune_1_acc_0.095");
  tree.ListAll();
  const std::shared_ptr<Snapshot> after = maker.Make(tree);

  ASSERT_EQ(after->runs.size(), 1u);
  const cboard::reader::Run& run = *after->runs[0];
  EXPECT_EQ(run.name, "tune_1_acc_0.095");
  EXPECT_EQ(StepsOf(*after, run.name, "x").size(), 3u);
  EXPECT_EQ(run.files[0]->path, dir / "tune_1_acc_0.095" / "tfevents");
  ASSERT_EQ(run.damage.size(), 1u);
  EXPECT_EQ(run.damage[0].path, run.files[0]->path);
  EXPECT_EQ(before->runs[0]->files[0]->path, dir / "tune_1" / "tfevents")
      << "a snapshot never changes";
}

}  // namespace
}  // namespace cboard::reader
