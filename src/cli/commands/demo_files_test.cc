#include "cli/commands/demo_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/base/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::cli {
namespace {

namespace fs = std::filesystem;
using testing::FailsSaying;
using testing::Succeeds;
using ::testing::UnorderedElementsAre;

class DemoFilesTest : public ::testing::Test {
 protected:
  void Put(const fs::path& file, std::string_view content = "x") {
    fs::create_directories(file.parent_path());
    ASSERT_THAT(WriteFileAtomically(file, content), Succeeds());
  }

  void Demo(const std::vector<fs::path>& files) {
    const auto folder = BeginDemo(logdir_);
    ASSERT_THAT(folder, Succeeds());
    for (const fs::path& file : files) Put(*folder / file);
    ASSERT_THAT(FinishDemo(logdir_), Succeeds());
  }

  // All files except hidden ones.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(logdir_)) {
      const std::string name = entry.path().lexically_relative(logdir_);
      if (!name.starts_with('.')) files.push_back(name);
    }
    return files;
  }

  testing::TempDir folder_;
  fs::path logdir_ = folder_ / "runs/demo";
};

TEST_F(DemoFilesTest, TheNextDemoReplacesFilesOfTheLastAndLeavesThoseOfOthers) {
  Demo({"digits/events.1", "eval/tune_1/events.1"});
  EXPECT_THAT(Files(), UnorderedElementsAre("digits", "digits/events.1", "eval", "eval/tune_1",
                                            "eval/tune_1/events.1"));
  Put(logdir_ / "mine.txt");
  Put(logdir_ / "digits/events.mine");
  Demo({"digits/events.2"});
  EXPECT_THAT(Files(),
              UnorderedElementsAre("mine.txt", "digits", "digits/events.mine", "digits/events.2"));
}

TEST_F(DemoFilesTest, WhatAnInterruptedDemoHasLeftIsRemoved) {
  const auto folder = BeginDemo(logdir_);
  ASSERT_THAT(folder, Succeeds());
  Put(*folder / "digits/events.1");
  EXPECT_THAT(Files(), UnorderedElementsAre());
  Demo({"digits/events.2"});
  EXPECT_THAT(Files(), UnorderedElementsAre("digits", "digits/events.2"));
}

TEST_F(DemoFilesTest, DirectoriesOfOthersAreRefused) {
  Put(logdir_ / "mine.txt");
  EXPECT_THAT(BeginDemo(logdir_), FailsSaying(ErrorCode::kAlreadyExists, "choose another"));
  Put(logdir_ / ".compression-board-demo", "");
  EXPECT_THAT(BeginDemo(logdir_),
              FailsSaying(ErrorCode::kAlreadyExists, "does not belong to a demo"));
}

TEST_F(DemoFilesTest, LinesThatLeadOutOfTheDirectoryAreLeftAlone) {
  const fs::path outside = folder_ / "outside.txt";
  Put(outside);
  Put(logdir_ / ".compression-board-demo",
      "../../outside.txt\na/../../../outside.txt\n" + outside.native() + "\ngone\n");
  Demo({"events.1"});
  EXPECT_TRUE(fs::exists(outside));
}

}  // namespace
}  // namespace cboard::cli
