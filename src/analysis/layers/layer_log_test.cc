// Tests the example of the tuning guide, from event files to the damaged layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"
#include "analysis/testing/sample_histogram.h"
#include "cboard/analysis/layer_bytes.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/compare/keep_float.h"
#include "cboard/compression/tags.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr const char* kBaseline = "eval/baseline_acc_0.776";
constexpr const char* kTuned = "eval/tune_1_acc_0.095";

std::vector<double> Relu(std::vector<double> values) {
  for (double& value : values) value = std::max(value, 0.0);
  return values;
}

TEST(LayersOfALog, NamesTheLayerThatRuinedTheTuningRun) {
  LogBuilder log;
  const std::vector<double> bad = Relu(Gaussian(10'000, 1, 1)), good = Relu(Gaussian(10'000, 1, 2));
  const std::vector<double> kernel = Gaussian(2'000, 0.1, 3);
  log.Histogram(kBaseline, "v0/cg/conv0/Relu_fp32.output", bad)
      .Histogram(kBaseline, "v0/cg/conv1/Relu_fp32.output", good)
      .Histogram(kBaseline, "v0/cg/conv0/conv2d/kernel", kernel)
      .Histogram(kTuned, "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize_int8.output",
                 Quantized(bad, 0, 0.5))
      .Histogram(kTuned, "v0/cg/conv1/conv2d/Conv2D_eightbit_requantize_int8.output",
                 Quantized(good))
      .Histogram(kTuned, "v0/cg/conv0/conv2d/kernel_qint8_const", Quantized(kernel));
  const auto snapshot = log.Read();
  const auto baseline = CollectLayers(*snapshot->FindRun(kBaseline));
  const auto variant = CollectLayers(*snapshot->FindRun(kTuned));
  const LayerRanking ranking = RankLayers(baseline, variant, *HistogramsOf(snapshot));
  EXPECT_THAT(ranking.errors, IsEmpty());
  ASSERT_EQ(ranking.layers.size(), 3u);
  const RankedLayer& worst = ranking.layers[0];
  EXPECT_EQ(worst.baseline.layer, "v0/cg/conv0/Relu");
  EXPECT_EQ(worst.variant.layer, "v0/cg/conv0/conv2d/Conv2D_eightbit_requantize");
  EXPECT_EQ(worst.paired_by, PairedBy::kScope);
  EXPECT_EQ(worst.diagnosis.level, Level::kRed);
  EXPECT_EQ(worst.diagnosis.cause, Cause::kOverClipped);
  EXPECT_THAT(worst.diagnosis.explanation, HasSubstr("outside [0, 0.5]"));
  EXPECT_THAT(compare::KeepFloatSnippet(std::vector{worst.fallback_operation},
                                        compare::Toolchain::kNeuralCompressorOpWise),
              HasSubstr("'v0/cg/conv0/conv2d/Conv2D':"));
  for (const RankedLayer& layer : std::span(ranking.layers).subspan(1)) {
    EXPECT_EQ(layer.diagnosis.level, Level::kGreen) << layer.baseline.tag;
  }
}

TEST(LayersOfALog, HaveTheNameThatIsStoredWhereTagsCannotHoldIt) {
  LogBuilder log;
  {
    SummaryWriter writer(log.Path("run"));
    const writer::ScalarLabels labels{
        .plugin_name = std::string(compression::kCompressionPluginName),
        .plugin_content = R"({"v":1,"layer":"/net/fc:0"})"};
    EXPECT_TRUE(writer.AddScalar("m/layers/net/fc_0/sqnr_db/int8", 12, 0, labels));
    EXPECT_TRUE(writer.AddScalar("m/layers/net/fc_0/bytes/int8", 100, 0, labels));
    EXPECT_TRUE(writer.AddScalar("m/layers/net/fc_1/sqnr_db/int8", 30, 0));
  }
  const auto snapshot = log.Read();
  const auto figures = CollectLayerMetrics(*snapshot->FindRun("run"), {.variant = "int8"});
  EXPECT_THAT(figures, ElementsAre(Pair("/net/fc:0", SizeIs(2)), Pair("net/fc_1", SizeIs(1))));
  const LayerRanking ranking = RankLayers({}, {}, *HistogramsOf(snapshot), figures);
  ASSERT_EQ(ranking.layers.size(), 2u);
  EXPECT_EQ(ranking.layers[0].fallback_operation, "/net/fc:0");
  EXPECT_EQ(LoggedLayerBytes(*snapshot, "m", "fp32", "int8").at(0).layer, "/net/fc:0");
}

TEST(LayersOfALog, FiguresAreAboutTheWeightsWhereNoOutputWasRun) {
  LogBuilder log;
  const std::vector<double> kernel = Gaussian(2'000, 0.1, 3);
  log.Histogram("run", "m/layers/fc/weight/fp32", kernel)
      .Histogram("run", "m/layers/fc/weight/int8", kernel)
      .Scalar("run", "m/layers/fc/sqnr_db/int8", 12);
  const auto snapshot = log.Read();
  const cboard::reader::Run& run = *snapshot->FindRun("run");
  const LayerRanking ranking =
      RankLayers(CollectLayers(run, {.variant = "fp32"}), CollectLayers(run, {.variant = "int8"}),
                 *HistogramsOf(snapshot), CollectLayerMetrics(run, {.variant = "int8"}));
  ASSERT_EQ(ranking.layers.size(), 1u);
  EXPECT_EQ(ranking.layers[0].diagnosis.level, Level::kRed);
  EXPECT_EQ(ranking.layers[0].logged.at("sqnr_db"), 12);
}

TEST(LayersOfALog, KnowsWhichLayerWasLoggedFirst) {
  LogBuilder log;
  const std::vector<double> values = Gaussian(100);
  for (const char* tag : {"conv1/weight/fp32", "bn/weight/fp32", "alpha/weight/fp32",
                          "stem/Output/fp32", "bn/Output/fp32", "conv1/Output/fp32"}) {
    log.Histogram("eval/baseline_acc_0.9", tag, values);
  }
  std::map<std::string, std::size_t> depths;
  for (const LayerTensor& tensor : CollectLayers(*log.Read()->FindRun("eval/baseline_acc_0.9"))) {
    const auto [entry, is_new] = depths.emplace(tensor.layer, tensor.depth);
    EXPECT_EQ(entry->second, tensor.depth) << tensor.tag;  // All tensors of a layer are together.
  }
  // alpha has no output; its parameter was logged before all outputs.
  EXPECT_THAT(depths,
              ElementsAre(Pair("alpha", 0), Pair("bn", 2), Pair("conv1", 3), Pair("stem", 1)));
}

TEST(LayersOfALog, JoinsOutputsThatLostTheirNamesWithTheirWeights) {
  LogBuilder log;
  const std::vector<double> values = Gaussian(1'000);
  log.Histogram("eval/baseline_acc0.80", "1/Output/fp32", values)
      .Histogram("eval/baseline_acc0.80", "conv1/weight/fp32", values);
  const auto tensors = CollectLayers(*log.Read()->FindRun("eval/baseline_acc0.80"));
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].layer, "conv1");
  EXPECT_EQ(tensors[0].logged_layer, "1");
  EXPECT_EQ(tensors[1].layer, "conv1");
}

TEST(LayersOfALog, ComparesTwoVariantsOfOneRun) {
  LogBuilder log;
  const std::vector<double> values = Gaussian(10'000);
  std::vector<double> shifted = values;
  for (double& value : shifted) value += 1;
  log.Histogram("r", "net/layers/features.3/output/fp32", values)
      .Histogram("r", "net/layers/features.3/output/int8", shifted)
      .Histogram("r", "net/layers/features.3/output/int4", values)
      .Scalar("r", "net/layers/features.3/sqnr_db/int8", 12.5);
  const auto snapshot = log.Read();
  const cboard::reader::Run& run = *snapshot->FindRun("r");
  const LayerRanking ranking =
      RankLayers(CollectLayers(run, {.variant = "fp32"}), CollectLayers(run, {.variant = "int8"}),
                 *HistogramsOf(snapshot), CollectLayerMetrics(run, {.variant = "int8"}));
  ASSERT_EQ(ranking.layers.size(), 1u);
  EXPECT_EQ(ranking.layers[0].diagnosis.cause, Cause::kBiasShift);
  EXPECT_TRUE(ranking.layers[0].from_logged);
  EXPECT_NEAR(ranking.layers[0].severity, std::pow(10, -12.5 / 20), 1e-9);
}

// TensorBoard's default bins are wide, a tenth of the value, so their edges do not show where
// values end.
TEST(LayersOfALog, SeesHealthThroughTensorBoardsOwnBins) {
  LogBuilder log;
  const std::vector<double> values = Gaussian(20'000);
  EXPECT_THAT(log.Writer("r").AddHistogram("m/layers/a/output/fp32", values, 0),
              testing::Succeeds());
  EXPECT_THAT(log.Writer("r").AddHistogram("m/layers/a/output/int8", Quantized(values), 0),
              testing::Succeeds());
  const auto snapshot = log.Read();
  const cboard::reader::Run& run = *snapshot->FindRun("r");
  const LayerRanking ranking =
      RankLayers(CollectLayers(run, {.variant = "fp32"}), CollectLayers(run, {.variant = "int8"}),
                 *HistogramsOf(snapshot));
  ASSERT_EQ(ranking.layers.size(), 1u);
  EXPECT_EQ(ranking.layers[0].diagnosis.level, Level::kGreen);
  EXPECT_NEAR(ranking.layers[0].histogram->range_ratio, 1, 1e-6);
}

TEST(HistogramsOf, SaysWhatIsNotThere) {
  LogBuilder log;
  log.Scalar("r", "loss", 1);
  const auto histograms = HistogramsOf(log.Read());
  EXPECT_THAT(histograms->Read("r", "loss", {}),
              testing::FailsSaying(ErrorCode::kNotFound, "run 'r' has no histogram 'loss'"));
  EXPECT_THAT(histograms->Read("s", "loss", {}), testing::FailsWith(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace cboard::analysis
