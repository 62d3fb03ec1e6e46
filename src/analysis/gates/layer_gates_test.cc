#include "analysis/gates/layer_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/gates/name_pattern.h"
#include "testing/matchers.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using testing::Succeeds;

RankedLayer LayerWith(const std::string& name, LayerMetrics figures, Level level = Level::kGreen) {
  return {.baseline = {.layer = name},
          .variant = {.layer = name},
          .logged = std::move(figures),
          .from_logged = true,
          .diagnosis = {.level = level,
                        .explanation = level == Level::kGreen ? "" : "the scale is wrong"}};
}

// Layers as compare logs them: activations have no weights, so they have no worst channel.
LayerRanking Network() {
  return {
      .layers = {
          LayerWith("/conv2/Conv", {{"sqnr_db", 12.8}, {"worst_channel_sqnr_db", 4}}, Level::kRed),
          LayerWith("/conv1/Conv", {{"sqnr_db", 25}, {"worst_channel_sqnr_db", 21}}, Level::kAmber),
          LayerWith("/Relu", {{"sqnr_db", 40}}), LayerWith("head", {{"sqnr_db", 35}})}};
}

GateResult CheckGate(const std::string& gate, const LayerRanking& ranking = Network()) {
  const auto contract = ParseContract("gates: [" + gate + "]");
  EXPECT_THAT(contract, Succeeds());
  return CheckLayers(contract->gates.at(0), ranking);
}

std::vector<std::string> BrokenNames(const GateResult& result) {
  std::vector<std::string> names;
  for (const FailingLayer& layer : result.broken) names.push_back(layer.layer);
  return names;
}

TEST(LayerGates, NameTheLayersThatBreakThemWorstFirst) {
  const GateResult result = CheckGate("{layers: '*', metric: local_sqnr_db, min: 36}");
  EXPECT_EQ(result.outcome, GateOutcome::kFail);
  EXPECT_THAT(BrokenNames(result), ElementsAre("/conv2/Conv", "/conv1/Conv", "head"));
  EXPECT_THAT(result.value, Optional(12.8));
  EXPECT_EQ(result.layers_checked, 4u);
  EXPECT_EQ(result.explanation,
            "3 of 4 layers break it, the worst '/conv2/Conv': local_sqnr_db is 12.8, below the "
            "least, 36");
  EXPECT_EQ(result.broken[2].explanation, "local_sqnr_db is 35, below the least, 36");
}

TEST(LayerGates, PassWithTheLayerThatIsNearestToTheLimit) {
  const GateResult result = CheckGate("{layers: [conv1*, head], metric: sqnr_db, min: 20}");
  EXPECT_EQ(result.outcome, GateOutcome::kPass);
  EXPECT_EQ(result.explanation, "of 2 layers, '/conv1/Conv' is nearest: sqnr_db is 25");
  EXPECT_THAT(result.value, Optional(25.0));
}

TEST(LayerGates, CallWhatHasNoErrorExact) {
  const LayerRanking ranking = {.layers = {LayerWith("relu", {{"sqnr_db", 200}, {"mse", 200}})}};
  EXPECT_EQ(CheckGate("{layers: '*', metric: local_sqnr_db, min: 20}", ranking).explanation,
            "of 1 layer, 'relu' is nearest: local_sqnr_db is exact");
  EXPECT_EQ(CheckGate("{layers: '*', metric: mse, max: 300}", ranking).explanation,
            "of 1 layer, 'relu' is nearest: mse is 200");
}

TEST(LayerGates, LookAtLevels) {
  const GateResult red = CheckGate("{layers: '*', metric: level, max: amber}");
  EXPECT_EQ(red.outcome, GateOutcome::kFail);
  EXPECT_EQ(red.explanation, "1 of 4 layers breaks it, '/conv2/Conv' is red: the scale is wrong");
  EXPECT_THAT(BrokenNames(CheckGate("{layers: '*', metric: level, max: green}")),
              ElementsAre("/conv2/Conv", "/conv1/Conv"));
  const GateResult kept = CheckGate("{layers: '*', except: conv2*, metric: level, max: amber}");
  EXPECT_EQ(kept.outcome, GateOutcome::kPass);
  EXPECT_EQ(kept.explanation, "none of 3 layers is worse than amber");
}

TEST(LayerGates, CountALayerOnceWhicheverOfItsTensorsIsBad) {
  RankedLayer weight = LayerWith("fc", {}, Level::kRed), bias = LayerWith("fc", {}, Level::kAmber);
  weight.baseline.role = weight.variant.role = TensorRole::kWeight;
  weight.from_logged = bias.from_logged = false;
  const GateResult result = CheckGate("{layers: '*', metric: level, max: green}",
                                      {.layers = {bias, weight, LayerWith("head", {})}});
  EXPECT_THAT(BrokenNames(result), ElementsAre("fc"));
  EXPECT_EQ(result.explanation,
            "1 of 2 layers breaks it, 'fc' is red in its weight: the scale is wrong");
}

TEST(LayerGates, TakeLevelsThatRestOnNothingForMissing) {
  RankedLayer layer = LayerWith("conv1", {{"mse", 3}}, Level::kUnmeasured);
  layer.from_logged = false;
  const GateResult result =
      CheckGate("{layers: '*', metric: level, max: amber}", {.layers = {layer}});
  EXPECT_EQ(result.outcome, GateOutcome::kMissing);
  EXPECT_THAT(result.explanation, HasSubstr("can be checked, such as sqnr_db"));
}

TEST(LayerGates, MissWhatEachPatternDoesNotFind) {
  const GateResult result = CheckGate("{layers: [conv*, fc], metric: sqnr_db, min: 1}");
  EXPECT_EQ(result.outcome, GateOutcome::kMissing);
  EXPECT_EQ(result.explanation,
            "no layer matches 'fc'; there are '/Relu', '/conv1/Conv', '/conv2/Conv', 'head'");
  EXPECT_EQ(CheckGate("{layers: x, metric: cosine, min: 1}", {}).explanation,
            "no layer matches 'x'; none were logged");
}

TEST(LayerGates, LeaveOutLayersWithoutTheFigureUnlessNoneHasIt) {
  const GateResult some = CheckGate("{layers: '*', metric: worst_channel_sqnr_db, min: 3}");
  EXPECT_EQ(some.outcome, GateOutcome::kPass);
  EXPECT_EQ(some.layers_checked, 2u);
  const GateResult none = CheckGate("{layers: Relu, metric: worst_channel_sqnr_db, min: 3}");
  EXPECT_EQ(none.outcome, GateOutcome::kMissing);
  EXPECT_EQ(none.explanation,
            "no layer that matches 'Relu' has a figure 'worst_channel_sqnr_db'; there are "
            "'sqnr_db'");
  EXPECT_EQ(CheckGate("{layers: head, except: '*', metric: sqnr_db, min: 3}").explanation,
            "'except' leaves out all layers that match 'head'");
}

TEST(LayerGates, MissWhatCouldNotBeRead) {
  LayerRanking ranking = Network();
  ranking.errors.push_back({ErrorCode::kDataLoss, "run 'a', histogram 'b': torn"});
  const GateResult result = CheckGate("{layers: head, metric: sqnr_db, min: 3}", ranking);
  EXPECT_EQ(result.outcome, GateOutcome::kMissing);
  EXPECT_THAT(result.explanation, HasSubstr("run 'a', histogram 'b': torn"));
}

TEST(LayerGates, CountNotANumberAsBroken) {
  const LayerRanking ranking{
      .layers = {LayerWith("a", {{"cosine", 0.5}}), LayerWith("b", {{"cosine", std::nan("")}})}};
  const GateResult result = CheckGate("{layers: '*', metric: cosine, min: 0.9}", ranking);
  EXPECT_THAT(BrokenNames(result), ElementsAre("b", "a"));
}

TEST(LayerGates, KnowWhatHistogramsSayOfEachTensor) {
  RankedLayer weight{.baseline = {.layer = "fc", .role = TensorRole::kWeight},
                     .histogram = HistogramComparison{.sqnr_at_most_db = 9, .kl = 0.5}};
  const LayerRanking ranking{.layers = {weight}};
  EXPECT_THAT(BrokenNames(CheckGate("{layers: fc, metric: sqnr_at_most_db, min: 20}", ranking)),
              ElementsAre("fc weight"));
  EXPECT_EQ(CheckGate("{layers: fc, metric: kl, max: 0.5}", ranking).outcome, GateOutcome::kPass);
}

TEST(NamePattern, KnowsStarsAndQuestionMarksOnly) {
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("v0/cg/conv0/*", "v0/cg/conv0/conv2d/Conv2D"));
  EXPECT_TRUE(MatchesPattern("*conv*Conv", "/conv2/Conv"));
  EXPECT_TRUE(MatchesPattern("features.?", "features.3"));
  EXPECT_TRUE(MatchesPattern("l?yer", "l\u00e4yer"));
  EXPECT_FALSE(MatchesPattern("features.?", "features.13"));
  EXPECT_FALSE(MatchesPattern("conv", "conv1"));
  EXPECT_FALSE(MatchesPattern("conv1", "conv"));
  EXPECT_FALSE(MatchesPattern("", "a"));
  EXPECT_TRUE(MatchesPattern("a[0].b", "a[0].b"));
  EXPECT_FALSE(MatchesPattern(std::string(2000, '*') + "b", std::string(2000, 'a')));
  EXPECT_TRUE(MatchesLayer("conv*", "/conv1/Conv"));
  EXPECT_TRUE(MatchesLayer("/conv*", "/conv1/Conv"));
  EXPECT_FALSE(MatchesLayer("/conv*", "conv1"));
}

TEST(CheckLayers, DoesNotPassForLevelsThatNobodyMeasured) {
  const Gate gate{.metric = "level", .layers = {"*"}, .worst_level = Level::kAmber};
  LayerRanking ranking;
  ranking.layers.push_back({.baseline = {.layer = "good"}, .diagnosis = {.level = Level::kGreen}});
  ranking.layers.push_back(
      {.baseline = {.layer = "unknown"}, .diagnosis = {.explanation = "not measured: both float"}});
  const GateResult result = CheckLayers(gate, ranking);
  EXPECT_EQ(result.outcome, GateOutcome::kMissing);
  EXPECT_EQ(result.explanation,
            "the level of 1 layer is not known ('unknown'): not measured: both float");
}

TEST(CheckLayers, SaysHowManyLayersHaveNoSuchFigure) {
  const Gate gate{.metric = "cosine", .min = 0.9, .layers = {"*"}};
  LayerRanking ranking;
  ranking.layers.push_back({.baseline = {.layer = "a"}, .logged = {{"cosine", 0.99}}});
  ranking.layers.push_back({.baseline = {.layer = "b"}});
  const GateResult result = CheckLayers(gate, ranking);
  EXPECT_EQ(result.outcome, GateOutcome::kPass);
  EXPECT_THAT(result.explanation, HasSubstr("1 layer without this figure is left out"));
}

}  // namespace
}  // namespace cboard::analysis
