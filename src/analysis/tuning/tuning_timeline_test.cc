#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"
#include "cboard/analysis/tuning.h"

namespace cboard::analysis {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(FindTuning, PutsTrialsInOrderAndComparesThem) {
  LogBuilder log;
  log.Scalar("eval/tune_10_acc_0.640", "x", 1)
      .Scalar("eval/tune_2_acc_0.771", "x", 1)
      .Scalar("eval/tune_1_acc_0.095", "x", 1)
      .Scalar("eval/baseline_acc_0.776", "x", 1);
  const auto timelines = FindTuning(*log.Read());
  ASSERT_EQ(timelines.size(), 1u);
  const TuningTimeline& timeline = timelines[0];
  EXPECT_EQ(timeline.experiment, "eval");
  ASSERT_EQ(timeline.trials.size(), 4u);
  EXPECT_EQ(timeline.trials[3].number, 10);
  EXPECT_THAT(timeline.baseline, Optional(0u));
  EXPECT_THAT(timeline.best, Optional(2u));
  EXPECT_EQ(timeline.trials[0].best_so_far, std::nullopt);
  EXPECT_THAT(timeline.trials[1].best_so_far, Optional(0.095));
  EXPECT_THAT(timeline.trials[3].best_so_far, Optional(0.771));
  EXPECT_TRUE(timeline.trials[2].is_best);
  EXPECT_THAT(timeline.trials[1].change, Optional(DoubleNear(-0.681, 1e-12)));
  EXPECT_THAT(timeline.trials[1].relative_change, Optional(DoubleNear(-0.681 / 0.776, 1e-12)));
  EXPECT_EQ(timeline.trials[1].accuracy_source, AccuracySource::kDirectoryName);
}

TEST(FindTuning, ReadsPyTorchsNamesAlike) {
  LogBuilder log;
  log.Scalar("eval/tune_0_acc0.80", "x", 1).Scalar("eval/tune_1_acc0.79", "x", 1);
  const auto timelines = FindTuning(*log.Read());
  ASSERT_EQ(timelines.size(), 1u);
  EXPECT_THAT(timelines[0].baseline, Optional(0u));
  EXPECT_THAT(timelines[0].trials[1].change, Optional(DoubleNear(-0.01, 1e-12)));
}

TEST(FindTuning, TakesAccuracyFromScalarsOrHParamsWhileTheNameHasNone) {
  LogBuilder log;
  log.Scalar("eval/baseline", "accuracy", 0.75)
      .Scalar("eval/tune_1", "x", 1)
      .HParams("eval/tune_1", {{"bits", 8.0}}, {{"hparam/accuracy", 0.5}})
      .Scalar("eval/tune_2", "x", 1);
  const auto timelines = FindTuning(*log.Read());
  ASSERT_EQ(timelines.size(), 1u);
  ASSERT_EQ(timelines[0].trials.size(), 3u);
  EXPECT_EQ(timelines[0].trials[0].accuracy_source, AccuracySource::kScalar);
  EXPECT_EQ(timelines[0].trials[1].accuracy_source, AccuracySource::kHParams);
  EXPECT_THAT(timelines[0].trials[1].accuracy, Optional(0.5));
  EXPECT_EQ(timelines[0].trials[2].accuracy, std::nullopt);
  EXPECT_EQ(timelines[0].trials[2].accuracy_source, AccuracySource::kNone);
}

TEST(FindTuning, TellsWhatEachTrialChanged) {
  LogBuilder log;
  log.HParams("eval/tune_1_acc_0.5", {{"bits", 8.0}, {"scheme", std::string("sym")}},
              {{"hparam/accuracy", 0.5}})
      .HParams("eval/tune_2_acc_0.6", {{"bits", 8.0}, {"scheme", std::string("asym")}},
               {{"hparam/accuracy", 0.6}});
  const auto timelines = FindTuning(*log.Read());
  ASSERT_EQ(timelines.size(), 1u);
  ASSERT_EQ(timelines[0].trials.size(), 2u);
  EXPECT_THAT(timelines[0].trials[1].changes,
              ElementsAre(ConfigChange{
                  .name = "scheme", .from = std::string("sym"), .to = std::string("asym")}));
}

TEST(FindTuning, NamesTheModelAfterTheDirectoryAbove) {
  LogBuilder log;
  log.Scalar("inception/eval/tune_1_acc_0.5", "x", 1);
  EXPECT_EQ(FindTuning(*log.Read())[0].model, "eval");
  EXPECT_EQ(FindTuning(*log.Read({{.name = {}, .path = log.Path("inception/eval")}}))[0].model,
            "eval");
}

TEST(FindTuning, KnowsTheDirectoryEvenWhenOnlyRunsBelowATrialHoldEvents) {
  LogBuilder log;
  log.HParams("eval/tune_1", {{"bits", 8.0}}, {{"hparam/accuracy", 0.5}});
  const auto snapshot = log.Read({{.name = {}, .path = log.Path("eval")}});
  ASSERT_EQ(FindTuning(*snapshot).size(), 1u);
  EXPECT_EQ(FindTuning(*snapshot)[0].model, "eval");
  const auto facts = CollectFacts(*snapshot);
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].meaning.model, "eval");
}

TEST(FindTuning, DoesNotTakeABaselineRunForTuning) {
  LogBuilder log;
  log.Scalar("baseline", "loss", 1).Scalar("experiment", "loss", 1);
  EXPECT_THAT(FindTuning(*log.Read()), IsEmpty());
}

}  // namespace
}  // namespace cboard::analysis
