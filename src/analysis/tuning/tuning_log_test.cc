// Reads the log of TuningLogger as the pages do: while it is written, after renaming, and when it
// is complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "analysis/testing/sample_histogram.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/tuning.h"
#include "cboard/compression/tuning_logger.h"
#include "cboard/reader/log_reader.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Succeeds;

// Waits until a snapshot satisfies the condition; returns false after a minute.
bool Becomes(const LogReader& reader, const std::function<bool(const reader::Snapshot&)>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    const auto snapshot = reader.snapshot();
    if (holds(*snapshot)) return true;
    reader.WaitForChange(snapshot->version, std::chrono::seconds(1));
  }
  return false;
}

// Tests both ways of following a directory.
class TuningLog : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<LogReader> Follow() const {
    reader::ReaderOptions options{.logdirs = {{.path = dir_ / "runs"}}};
    options.watch = GetParam();
    options.poll_interval = std::chrono::milliseconds(10);
    auto reader = LogReader::Open(options);
    EXPECT_THAT(reader, Succeeds());
    return *std::move(reader);
  }

  testing::TempDir dir_;
};

TEST_P(TuningLog, AViewerSeesATrialRunAndThenItsAccuracyWithoutReadingItTwice) {
  TuningLogger logger({.directory = dir_ / "runs" / "eval"});
  const auto reader = Follow();
  ASSERT_THAT(logger.StartTrial({{"scheme", "symmetric"}}), Succeeds());
  ASSERT_THAT(logger.AddParameter("conv1", "weight", Gaussian(1000)), Succeeds());
  ASSERT_TRUE(Becomes(*reader, [](const reader::Snapshot& snapshot) {
    return snapshot.FindRun("eval/baseline") != nullptr;
  }));
  ASSERT_THAT(logger.AddOutput("conv1", Gaussian(1000)), Succeeds());
  const auto report = logger.FinishTrial(0.776);
  ASSERT_THAT(report, Succeeds());

  ASSERT_TRUE(Becomes(*reader, [](const reader::Snapshot& snapshot) {
    const cboard::reader::Run* run = snapshot.FindRun("eval/baseline_acc_0.776");
    return run != nullptr && run->Find("_hparams_/session_end_info") != nullptr &&
           snapshot.runs.size() == 1;
  }));
  const auto snapshot = reader->snapshot();
  for (const std::string& tag : report->tags) {
    EXPECT_NE(snapshot->FindTag("eval/baseline_acc_0.776", tag), nullptr) << tag;
  }
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(report->directory)) {
    bytes += file.file_size();
  }
  EXPECT_EQ(reader->statistics().bytes_read, bytes);
}

TEST_P(TuningLog, TheTuningPageShowsTheFallAndWhatChanged) {
  TuningLogger logger({.directory = dir_ / "runs" / "eval"});
  const auto reader = Follow();
  const auto trial = [&](const std::string& keep_fp32, double accuracy) {
    ASSERT_THAT(logger.StartTrial({{"keep_fp32", keep_fp32}}), Succeeds());
    ASSERT_THAT(logger.FinishTrial(accuracy), Succeeds());
  };
  trial("all", 0.776);
  trial("none", 0.095);
  trial("conv1", 0.771);
  // The name of a directory may contain the accuracy before the settings in it have been read.
  ASSERT_TRUE(Becomes(*reader, [](const reader::Snapshot& snapshot) {
    const auto timelines = FindTuning(snapshot);
    return timelines.size() == 1 && timelines[0].trials.size() == 3 &&
           timelines[0].trials[2].accuracy == 0.771 &&
           std::ranges::all_of(snapshot.runs, [](const auto& run) {
             return run->Find("_hparams_/session_end_info") != nullptr;
           });
  }));
  const TuningTimeline timeline = FindTuning(*reader->snapshot())[0];
  EXPECT_EQ(timeline.experiment, "eval");
  EXPECT_EQ(timeline.best, 2u);
  EXPECT_NEAR(*timeline.trials[1].change, -0.681, 1e-12);
  EXPECT_THAT(timeline.trials[2].changes,
              ElementsAre(ConfigChange{
                  .name = "keep_fp32", .from = std::string("none"), .to = std::string("conv1")}));
}

TEST_P(TuningLog, TheLayersPagePairsBothSidesAndNamesTheCulprit) {
  TuningLogger logger({.directory = dir_ / "runs" / "eval"});
  compression::FusedOps fused;
  fused.Add("conv1", {"conv1", "relu1"});
  const std::vector<double> bad = Gaussian(10'000, 1, 1), good = Gaussian(10'000, 1, 2);
  ASSERT_THAT(logger.StartTrial({}, fused), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", Gaussian(10'000, 9, 3)), Succeeds());  // Before its ReLU.
  ASSERT_THAT(logger.AddOutput("relu1", bad), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv2", good), Succeeds());
  const auto baseline = logger.FinishTrial(0.776);
  ASSERT_THAT(logger.StartTrial(), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv1", Quantized(bad, -0.5, 0.5), "int8"), Succeeds());
  ASSERT_THAT(logger.AddOutput("conv2", Quantized(good), "int8"), Succeeds());
  const auto tuned = logger.FinishTrial(0.095);
  ASSERT_THAT(baseline, Succeeds());
  ASSERT_THAT(tuned, Succeeds());

  const auto snapshot = reader::ReadLogdirs(
      {.logdirs = {{"baseline", baseline->directory}, {"tune_1", tuned->directory}},
       .follow = false});
  ASSERT_THAT(snapshot, Succeeds());
  const LayerRanking ranking =
      RankLayers(CollectLayers(*(*snapshot)->FindRun("baseline/.")),
                 CollectLayers(*(*snapshot)->FindRun("tune_1/.")), *HistogramsOf(*snapshot));
  EXPECT_THAT(ranking.errors, IsEmpty());
  ASSERT_EQ(ranking.layers.size(), 2u);
  EXPECT_EQ(ranking.layers[0].baseline.layer, "conv1");
  EXPECT_EQ(ranking.layers[0].diagnosis.level, Level::kRed);
  EXPECT_EQ(ranking.layers[1].diagnosis.level, Level::kGreen);
}

INSTANTIATE_TEST_SUITE_P(WatchedAndPolled, TuningLog, ::testing::Bool());

}  // namespace
}  // namespace cboard::analysis
