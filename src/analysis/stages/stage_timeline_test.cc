#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"
#include "cboard/analysis/channels.h"
#include "cboard/analysis/stages.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr const char* kRoot = "logs_15112026_120000/tensorboard_logs/";

std::vector<std::string> NamesOf(const StageTimeline& timeline) {
  std::vector<std::string> names;
  for (const Stage& stage : timeline.stages) names.emplace_back(stage.description.name);
  return names;
}

// A log as the toolkit writes it, mixed with names of an old version.
LogBuilder& Write(LogBuilder& log) {
  const std::string root = kRoot;
  log.Graph(root + "thresholds_selection")
      .Resources(root + "thresholds_selection", {1'000'000, 500'000})
      .Histogram(root + "thresholds_selection", "conv1", {1, 2, 3, 4})
      .Graph(root + "initial_graph")
      .Resources(root + "initial_graph", {4'000'000, 2'000'000})
      .Graph(root + "after_analyzer_graph")
      .Graph(root + "after_kd")
      .Scalar(root + "figures", "x", 1);
  const std::vector<double> min = {-1, -40, -1}, max = {1, 2, 1}, mean = {0, 0, 0};
  for (std::int64_t channel = 0; channel < 3; ++channel) {
    const auto i = static_cast<std::size_t>(channel);
    log.Scalar(root + "thresholds_selection/min_per_channel", "conv1", min[i], channel)
        .Scalar(root + "thresholds_selection/max_per_channel", "conv1", max[i], channel)
        .Scalar(root + "thresholds_selection/mean_per_channel", "conv1", mean[i], channel);
  }
  return log;
}

TEST(FindStages, PutsTheStagesOfALogInTheirOrder) {
  LogBuilder log;
  const auto timelines = FindStages(*Write(log).Read());
  ASSERT_EQ(timelines.size(), 1u);
  EXPECT_EQ(timelines[0].model, "logs_15112026_120000");
  EXPECT_THAT(NamesOf(timelines[0]), ElementsAre("initial_graph", "after_statistic_collection",
                                                 "thresholds_selection", "after_gptq"));
  EXPECT_EQ(timelines[0].stages[1].run, std::string(kRoot) + "after_analyzer_graph");
  EXPECT_THAT(timelines[0].extras, ElementsAre(std::string(kRoot) + "figures"));
}

TEST(FindStages, SaysWhatEachStageHas) {
  LogBuilder log;
  const auto timelines = FindStages(*Write(log).Read());
  const Stage& first = timelines[0].stages[0];
  EXPECT_TRUE(first.has_graph);
  EXPECT_TRUE(first.has_resources);
  EXPECT_EQ(first.histogram_count, 0u);
  EXPECT_EQ(first.min_per_channel, "");
  const Stage& thresholds = timelines[0].stages[2];
  EXPECT_EQ(thresholds.histogram_count, 1u);
  EXPECT_EQ(thresholds.min_per_channel,
            std::string(kRoot) + "thresholds_selection/min_per_channel");
  EXPECT_FALSE(timelines[0].stages[3].has_resources);
}

TEST(FindStages, FindsStagesAtTheTopOfTheLogDirectory) {
  LogBuilder log;
  Write(log).Close();
  const auto timelines =
      FindStages(*log.Read({{.name = {}, .path = log.Path(std::string(kRoot))}}));
  ASSERT_EQ(timelines.size(), 1u);
  EXPECT_EQ(timelines[0].experiment, ".");
  EXPECT_EQ(timelines[0].model, "logs_15112026_120000");
}

TEST(FindStages, TakesNothingElseForAStage) {
  LogBuilder log;
  log.Scalar("figures", "x", 1).Scalar("train", "x", 1);
  EXPECT_THAT(FindStages(*log.Read()), IsEmpty());
}

TEST(CollectStageFacts, GivesTheTableSizesBeforeAndAfter) {
  LogBuilder log;
  std::vector<Error> errors;
  const ComparisonTable table = BuildComparisonTable(CollectStageFacts(*Write(log).Read(), errors));
  EXPECT_THAT(errors, IsEmpty());
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].variant, "float");
  EXPECT_EQ(table.MetricsOf(0).at("model_size_mb"), 6);
  EXPECT_EQ(table.rows[1].variant, "quantized");
  EXPECT_EQ(table.MetricsOf(1).at("model_size_mb"), 1.5);
}

TEST(CollectStageFacts, ReportsAFileThatHasGone) {
  LogBuilder log;
  const auto snapshot = Write(log).Read();
  std::filesystem::remove_all(log.Path(std::string(kRoot) + "initial_graph"));
  std::vector<Error> errors;
  EXPECT_EQ(CollectStageFacts(*snapshot, errors).size(), 1u);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].code, ErrorCode::kNotFound);
}

TEST(ReadChannels, ReadsStepsAsChannels) {
  LogBuilder log;
  const auto snapshot = Write(log).Read();
  const auto channels = ReadChannels(*snapshot, FindStages(*snapshot)[0].stages[2]);
  ASSERT_EQ(channels.size(), 1u);
  EXPECT_EQ(channels[0].layer, "conv1");
  EXPECT_THAT(channels[0].min, ElementsAre(Optional(-1), Optional(-40), Optional(-1)));
  ASSERT_EQ(channels[0].outliers.size(), 1u);
  EXPECT_EQ(channels[0].outliers[0].channel, 1u);
  EXPECT_EQ(channels[0].outliers[0].ratio, 40);
}

}  // namespace
}  // namespace cboard::analysis
