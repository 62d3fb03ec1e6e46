#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/analysis/tuning.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FindTrial, FindsTheTrialAnywhereInARun) {
  const auto place = FindTrial("runs/eval/tune_1_acc_0.5/hp", "hp");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->experiment, "runs/eval");
  EXPECT_EQ(place->run, "runs/eval/tune_1_acc_0.5");
  EXPECT_EQ(FindTrial("baseline", "baseline")->experiment, ".");
  EXPECT_FALSE(FindTrial("train/run1", "run1"));
  EXPECT_FALSE(FindTrial(".", "eval"));
}

// --logdir_spec baseline:./runs/eval/baseline_acc_0.776/,tune_1:…
TEST(FindTrial, LearnsTheAccuracyFromTheDirectoryOfANamedLogdir) {
  const auto place = FindTrial("tune_1/.", "tune_1_acc_0.095");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->experiment, ".");
  EXPECT_EQ(place->run, "tune_1");
  EXPECT_THAT(place->name.accuracies, ElementsAre(0.095));
  // The tuning guide's PyTorch example calls the baseline tune_0.
  EXPECT_THAT(FindTrial("baseline/.", "tune_0_acc0.80")->name.accuracies, ElementsAre(0.80));
  // A directory name that belongs to another trial is ignored.
  EXPECT_THAT(FindTrial("tune_1/.", "tune_2_acc_0.5")->name.accuracies, IsEmpty());
}

TEST(DiffConfigs, ListsWhatChangedWithBothSides) {
  const Config from = {{"bits", 8.0}, {"scheme", std::string("sym")}, {"old", true}};
  const Config to = {{"bits", 4.0}, {"scheme", std::string("sym")}, {"new", 1.0}};
  EXPECT_THAT(DiffConfigs(from, to),
              ElementsAre(ConfigChange{.name = "bits", .from = 8.0, .to = 4.0},
                          ConfigChange{.name = "new", .to = 1.0},
                          ConfigChange{.name = "old", .from = true}));
  EXPECT_THAT(DiffConfigs(to, to), IsEmpty());
}

}  // namespace
}  // namespace cboard::analysis
