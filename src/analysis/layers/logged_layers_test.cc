#include "analysis/layers/logged_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/testing/log_builder.h"
#include "cboard/analysis/layer_variants.h"

namespace cboard::analysis {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RankedLayer ParsedByProtobuf(const LayerMetrics& figures, std::optional<double> best_score = {}) {
  RankedLayer layer{.logged = figures};
  DiagnoseFromFigures(8, {}, best_score, layer);
  return layer;
}

double SqnrOf(const RankedLayer& layer) { return -20 * std::log10(layer.severity); }

TEST(DiagnoseFromFigures, BoundsSqnrByTheCosine) {
  // 6 dB: half of the signal is orthogonal to the original signal.
  const RankedLayer bad = ParsedByProtobuf({{"cosine", std::sqrt(0.75)}});
  EXPECT_THAT(SqnrOf(bad), DoubleNear(6.02, 0.01));
  EXPECT_EQ(bad.diagnosis.level, Level::kRed);
  EXPECT_THAT(bad.diagnosis.explanation, HasSubstr("0.866"));
  EXPECT_EQ(ParsedByProtobuf({{"cosine", 0.99999}}).diagnosis.level, Level::kGreen);
  EXPECT_THAT(SqnrOf(ParsedByProtobuf({{"cosine", -1}})), DoubleNear(0, 1e-9)) << "turned round";
}

TEST(DiagnoseFromFigures, KnowsHowLargeRoundingIs) {
  EXPECT_EQ(ParsedByProtobuf({{"rmse_by_scale", 0.289}}).diagnosis.level, Level::kGreen);
  const RankedLayer bad = ParsedByProtobuf({{"rmse_by_scale", 0.8}});
  EXPECT_EQ(bad.diagnosis.level, Level::kRed);
  EXPECT_THAT(bad.diagnosis.explanation, HasSubstr("0.8 steps"));
}

TEST(DiagnoseFromFigures, ComparesScoresWithTheBestOne) {
  const std::map<std::string, LayerMetrics, std::less<>> logged = {
      {"a", {{"score_if_only_this_is_quantized", 0.7}}},
      {"b", {{"score_if_only_this_is_quantized", 0.5}}}};
  EXPECT_EQ(BestScore(logged), 0.7);
  EXPECT_EQ(ParsedByProtobuf(logged.at("b"), 0.7).diagnosis.level, Level::kRed);
  EXPECT_EQ(ParsedByProtobuf(logged.at("a"), 0.7).diagnosis.level, Level::kGreen);
  EXPECT_GT(OrderOf(logged.at("b")), OrderOf(logged.at("a")));
}

TEST(DiagnoseFromFigures, ConcludesNothingFromAnMse) {
  const RankedLayer layer = ParsedByProtobuf({{"mse", 1e9}});
  EXPECT_EQ(layer.diagnosis.level, Level::kUnmeasured);
  EXPECT_FALSE(layer.from_logged);
  EXPECT_EQ(layer.severity, 0);
}

// An import writes metrics, but no histograms and no float model.
TEST(RankLayers, RanksLayersThatHaveOnlyFigures) {
  LogBuilder log;
  log.Scalar("net", "net/layers/conv1/sqnr_db/int8", 35)
      .Scalar("net", "net/layers/conv2/sqnr_db/int8", 12)
      .Scalar("net", "net/layers/fc/cosine/int8", 0.999)
      .Scalar("net", "net/layers/pool/mse/int8", 5);
  const auto snapshot = log.Read();
  const auto sides = FindVariantLayers(*snapshot);
  ASSERT_EQ(sides.size(), 2u);
  EXPECT_EQ(sides[0].variant, "fp32");
  EXPECT_EQ(sides[1].variant, "int8");
  EXPECT_EQ(sides[1].model, "net");
  EXPECT_EQ(sides[1].tensor_count, 0u);
  const cboard::reader::Run& run = *snapshot->FindRun("net");
  const LayerRanking ranking =
      RankLayers(CollectLayers(run, {.variant = "fp32"}), CollectLayers(run, {.variant = "int8"}),
                 *HistogramsOf(snapshot), CollectLayerMetrics(run, {.variant = "int8"}));
  std::vector<std::string> names;
  for (const RankedLayer& layer : ranking.layers) names.push_back(layer.variant.layer);
  EXPECT_THAT(names, ElementsAre("conv2", "fc", "conv1", "pool"));
  EXPECT_EQ(ranking.layers[0].diagnosis.level, Level::kRed);
  EXPECT_FALSE(ranking.layers[0].histogram);
  EXPECT_EQ(ranking.layers[0].variant.tag, "");
}

}  // namespace
}  // namespace cboard::analysis
