// Reads logs of the Model Compression Toolkit with all their peculiarities, and ours: both give the
// same entities.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"
#include "cboard/analysis/channels.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/analysis/similarity.h"
#include "cboard/analysis/stages.h"
#include "cboard/compression/stage_logger.h"
#include "cboard/proto/graph.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

// A histogram as the toolkit creates it with numpy: left edges only, `num` counts bins, and the
// largest value is the last left edge.
tensor::HistogramData ToolkitHistogram(std::vector<double> left_edges, std::vector<double> counts) {
  tensor::HistogramData histogram{.min = left_edges.front(),
                                  .max = left_edges.back(),
                                  .num = static_cast<double>(left_edges.size())};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    histogram.sum += left_edges[i] * counts[i];
    histogram.sum_squares += left_edges[i] * left_edges[i] * counts[i];
  }
  histogram.bucket_limits = std::move(left_edges);
  histogram.bucket_counts = std::move(counts);
  return histogram;
}

// Graph nodes have paths, but memory is logged with the bare names of layers.
void WriteToolkitStage(LogBuilder& log, const std::string& run, std::int64_t conv_bytes) {
  proto::GraphBuilder graph;
  graph.AddNode({.name = "Input/x", .op = "DummyPlaceHolder"});
  graph.AddNode({.name = "Output/conv1", .op = "Conv2d", .inputs = {"Input/x:0"}});
  const writer::At epoch(0, 0.0);  // The toolkit's events have no wall time.
  EXPECT_THAT(log.Writer(run).AddGraph(graph.Encode(), epoch), testing::Succeeds());
  EXPECT_THAT(log.Writer(run).AddRunMetadata(
                  "Resources",
                  proto::EncodeRunMetadata(
                      {{.node_name = "x"}, {.node_name = "conv1", .total_bytes = conv_bytes}}),
                  epoch),
              testing::Succeeds());
}

LogBuilder& WriteToolkit(LogBuilder& log, const std::vector<std::string>& stages) {
  for (const std::string& stage : stages) {
    WriteToolkitStage(log, "tensorboard_logs/" + stage, stage == stages.back() ? 224 : 896);
  }
  return log;
}

TEST(ToolkitLog, IsTheSameInTheNamesOfEveryVersion) {
  const std::vector<std::vector<std::string>> versions = {
      {"initial_graph", "after_analyzer_graph", "thresholds_selection",
       "bias_correction_computation", "after_kd", "after_quantization"},  // 1.0
      {"initial_graph", "after_statistic_collection", "thresholds_selection",
       "statistics_computation", "after_gptq", "after_quantization"},  // 2.0
  };
  std::vector<std::vector<std::string>> names;
  for (const auto& stages : versions) {
    LogBuilder log;
    const auto snapshot = WriteToolkit(log, stages).Read();
    const auto timelines = FindStages(*snapshot);
    ASSERT_EQ(timelines.size(), 1u);
    names.emplace_back();
    for (const Stage& stage : timelines[0].stages) {
      names.back().emplace_back(stage.description.name);
      EXPECT_TRUE(stage.has_graph && stage.has_resources) << stage.run;
    }
    EXPECT_EQ(*ReadStageBytes(*snapshot, timelines[0].stages.front()), 896u);
    EXPECT_EQ(*ReadStageBytes(*snapshot, timelines[0].stages.back()), 224u);
  }
  EXPECT_EQ(names[0], names[1]);
}

TEST(ToolkitLog, HistogramsOfLeftEdgesAreReadInTheirPlace) {
  LogBuilder log;
  const std::string run = "tensorboard_logs/thresholds_selection";
  EXPECT_THAT(
      log.Writer(run).AddHistogramRaw("relu1", ToolkitHistogram({0, 1, 2, 3}, {70, 20, 9, 1})),
      testing::Succeeds());
  const auto snapshot = log.Read();
  const auto distribution = HistogramsOf(snapshot)->Read(run, "relu1", std::nullopt);
  ASSERT_THAT(distribution, testing::Succeeds());
  EXPECT_EQ(distribution->min(), 0);
  EXPECT_EQ(distribution->max(), 4) << "the last bin is as wide as the one before";
  EXPECT_EQ(distribution->count(), 100) << "not 4, as num says";
}

// The same network, logged by StageLogger.
TEST(StageLog, GivesTheSameEntitiesAsTheToolkits) {
  LogBuilder theirs, ours;
  WriteToolkit(theirs, {"initial_graph", "thresholds_selection", "after_quantization"});
  for (std::int64_t channel = 0; channel < 2; ++channel) {
    const double value = static_cast<double>(channel);
    theirs
        .Scalar("tensorboard_logs/thresholds_selection/min_per_channel", "conv1", 0 - value,
                channel)
        .Scalar("tensorboard_logs/thresholds_selection/max_per_channel", "conv1", value, channel)
        .Scalar("tensorboard_logs/thresholds_selection/mean_per_channel", "conv1", 0, channel);
  }
  auto logger = StageLogger::OpenIn(ours.Path());
  ASSERT_THAT(logger, testing::Succeeds());
  compression::StageGraph graph{
      .name = "Net",
      .nodes = {{.name = "x", .op = "Input"},
                {.name = "conv1", .op = "Conv2d", .inputs = {{"x"}}, .float_parameters = 224}}};
  ASSERT_THAT((*logger)->LogGraph("initial_graph", graph), testing::Succeeds());
  ASSERT_THAT((*logger)->LogGraph("thresholds_selection", graph), testing::Succeeds());
  graph.nodes[1].float_parameters = 0;
  graph.nodes[1].quantized_parameters = 224;
  graph.nodes[1].weight_bits = 8;
  ASSERT_THAT((*logger)->LogGraph("after_quantization", graph), testing::Succeeds());
  compression::OutputStatistics statistics;
  ASSERT_THAT(statistics.Add(TensorView(std::vector<float>{0, 0, -1, 1}, {1, 2, 2})),
              testing::Succeeds());
  ASSERT_THAT((*logger)->LogStatistics("thresholds_selection", "conv1", statistics),
              testing::Succeeds());
  ASSERT_THAT((*logger)->Close(), testing::Succeeds());

  std::vector<std::string> seen;
  for (const auto& snapshot : {theirs.Read(), ours.Read()}) {
    std::string text;
    const auto timelines = FindStages(*snapshot);
    ASSERT_EQ(timelines.size(), 1u);
    for (const Stage& stage : timelines[0].stages) {
      text += std::string(stage.description.name) + " " +
              std::to_string(*ReadStageBytes(*snapshot, stage)) + "\n";
      for (const ChannelStatistics& channels : ReadChannels(*snapshot, stage)) {
        text += channels.layer;
        for (std::size_t i = 0; i < channels.min.size(); ++i) {
          text += " " + std::to_string(*channels.min[i]) + "…" + std::to_string(*channels.max[i]) +
                  " " + std::to_string(*channels.mean[i]);
        }
        text += "\n";
      }
    }
    seen.push_back(text);
  }
  EXPECT_EQ(seen[0], seen[1]);
}

TEST(ReadSimilarity, GivesCosinesByPointAndSample) {
  LogBuilder log;
  auto logger = StageLogger::OpenIn(log.Path());
  ASSERT_THAT(logger, testing::Succeeds());
  const std::vector<float> a = {1, 0}, b = {0, 1}, nan = {NAN, NAN};
  compression::ModelSimilarity similarity;
  ASSERT_THAT(similarity.AddSample({{"z_first", a, a}, {"a_second", a, b}}), testing::Succeeds());
  ASSERT_THAT(similarity.AddSample({{"z_first", a, a}, {"a_second", a, nan}}), testing::Succeeds());
  ASSERT_THAT((*logger)->LogSimilarity(similarity), testing::Succeeds());
  ASSERT_THAT((*logger)->Close(), testing::Succeeds());
  const auto snapshot = log.Read();
  const auto timelines = FindStages(*snapshot);
  ASSERT_EQ(timelines.size(), 1u);
  const StageSimilarity read = ReadSimilarity(*snapshot, timelines[0]);
  EXPECT_THAT(read.layers, ElementsAre("z_first", "a_second"));
  EXPECT_THAT(read.means, ElementsAre(Optional(1.0), Optional(0.0)));
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[1].name, "sample_1");
  EXPECT_THAT(read.samples[1].cosines, ElementsAre(Optional(1.0), std::nullopt));
}

TEST(ReadSimilarity, IsEmptyWhereOnlyPicturesWereLogged) {
  LogBuilder log;
  WriteToolkit(log, {"initial_graph"});
  log.Scalar("tensorboard_logs/figures", "similarity/sample_x", 1)
      .Scalar("tensorboard_logs/figures", "similarity/points/far", 1, std::int64_t{1} << 40);
  const auto snapshot = log.Read();
  const StageSimilarity read = ReadSimilarity(*snapshot, FindStages(*snapshot)[0]);
  EXPECT_THAT(read.layers, IsEmpty());
  EXPECT_THAT(read.samples, IsEmpty());
}

}  // namespace
}  // namespace cboard::analysis
