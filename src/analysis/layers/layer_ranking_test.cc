#include "cboard/analysis/layer_ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/layers/carried_errors.h"
#include "analysis/testing/sample_histogram.h"
#include "cboard/verdict/bit_limits.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlainHistograms final : public HistogramSource {
 public:
  void Add(const std::string& run, const std::string& tag, const std::vector<double>& values) {
    histograms_.emplace(std::pair(run, tag), Binned(values));
  }

  Result<ValueDistribution> Read(std::string_view run, std::string_view tag,
                                 std::optional<std::int64_t>) const override {
    const auto found = histograms_.find({std::string(run), std::string(tag)});
    if (found == histograms_.end()) return Fail(ErrorCode::kNotFound, "not there");
    return found->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, ValueDistribution> histograms_;
};

LayerTensor Tensor(const std::string& run, const std::string& tag) {
  LayerTensor tensor = *ParseLayerTag(tag);
  tensor.run = run;
  return tensor;
}

std::vector<std::string> LayersOf(const LayerRanking& ranking) {
  std::vector<std::string> layers;
  for (const RankedLayer& layer : ranking.layers) layers.push_back(layer.baseline.layer);
  return layers;
}

// Three layers: one undamaged, one clipped, one slightly shifted.
class RankLayersTest : public ::testing::Test {
 protected:
  RankLayersTest() {
    const std::vector<double> values = Gaussian(20'000);
    const auto add = [&](const std::string& layer, const std::vector<double>& after) {
      baseline_.push_back(Tensor("baseline", layer + "/Output/fp32"));
      variant_.push_back(Tensor("tune_1", layer + "/Output/int8"));
      histograms_.Add("baseline", baseline_.back().tag, values);
      histograms_.Add("tune_1", variant_.back().tag, after);
    };
    add("healthy", Quantized(values));
    add("clipped", Quantized(values, -1, 1));
    std::vector<double> shifted = Quantized(values);
    for (double& value : shifted) value += 0.15;
    add("shifted", shifted);
  }

  std::vector<LayerTensor> baseline_, variant_;
  PlainHistograms histograms_;
};

TEST_F(RankLayersTest, PutsTheWorstFirstAndSaysWhy) {
  const LayerRanking ranking = RankLayers(baseline_, variant_, histograms_);
  EXPECT_THAT(LayersOf(ranking), ElementsAre("clipped", "shifted", "healthy"));
  EXPECT_EQ(ranking.layers[0].diagnosis.cause, Cause::kOverClipped);
  EXPECT_EQ(ranking.layers[1].diagnosis.cause, Cause::kBiasShift);
  EXPECT_EQ(ranking.layers[1].diagnosis.level, Level::kRed);
  EXPECT_EQ(ranking.layers[2].diagnosis.level, Level::kGreen);
  EXPECT_GT(ranking.layers[0].times_median, 1);
  EXPECT_EQ(ranking.layers[1].times_median, 1);
  EXPECT_FALSE(ranking.layers[0].from_logged);
  EXPECT_THAT(ranking.errors, IsEmpty());
}

TEST_F(RankLayersTest, BelievesLoggedNumbersMore) {
  const LayerRanking ranking =
      RankLayers(baseline_, variant_, histograms_,
                 {{"healthy", {{"sqnr_db", -2.3}}}, {"clipped", {{"sqnr_db", 41}}}});
  EXPECT_EQ(ranking.layers.front().baseline.layer, "healthy");
  EXPECT_TRUE(ranking.layers.front().from_logged);
  EXPECT_EQ(ranking.layers.front().diagnosis.level, Level::kRed);
  EXPECT_THAT(ranking.layers.front().diagnosis.explanation, HasSubstr("-2.3 dB"));
  EXPECT_EQ(ranking.layers.back().baseline.layer, "clipped");
  EXPECT_EQ(ranking.layers.back().diagnosis.level, Level::kGreen);
}

// A damaged channel, which histograms of whole tensors do not show.
TEST_F(RankLayersTest, SeesOneBadChannelWhenItWasLogged) {
  const LayerRanking ranking =
      RankLayers(baseline_, variant_, histograms_,
                 {{"healthy", {{"sqnr_db", 32.4}, {"worst_channel_sqnr_db", 0}}}});
  const auto healthy = std::ranges::find_if(
      ranking.layers, [](const auto& layer) { return layer.baseline.layer == "healthy"; });
  EXPECT_EQ(healthy->diagnosis.level, Level::kRed);
  EXPECT_THAT(healthy->diagnosis.explanation, HasSubstr("worst channel"));
}

TEST_F(RankLayersTest, ReportsHistogramsThatCannotBeRead) {
  baseline_.push_back(Tensor("baseline", "gone/Output/fp32"));
  variant_.push_back(Tensor("tune_1", "gone/Output/int8"));
  const LayerRanking ranking = RankLayers(baseline_, variant_, histograms_);
  EXPECT_EQ(ranking.layers.size(), 3u);
  ASSERT_EQ(ranking.errors.size(), 2u);
  EXPECT_THAT(ranking.errors[0].message, HasSubstr("gone/Output/fp32"));
}

TEST_F(RankLayersTest, NamesLayersThatOnlyOneSideHas) {
  baseline_.push_back(Tensor("baseline", "lost/Output/fp32"));
  const LayerRanking ranking = RankLayers(baseline_, variant_, histograms_);
  ASSERT_EQ(ranking.baseline_only.size(), 1u);
  EXPECT_EQ(ranking.baseline_only[0].layer, "lost");
}

// Outputs of a whole model: all layers after a damaged layer carry its error.
class CarriedErrorsTest : public ::testing::Test {
 protected:
  void Add(const std::string& tensor, std::size_t depth, const std::vector<double>& after) {
    baseline_.push_back(Tensor("baseline", tensor + "/fp32"));
    variant_.push_back(Tensor("tune_1", tensor + "/int8"));
    baseline_.back().depth = variant_.back().depth = depth;
    histograms_.Add("baseline", baseline_.back().tag, values_);
    histograms_.Add("tune_1", variant_.back().tag, after);
  }

  const std::vector<double> values_ = Gaussian(20'000);
  const std::vector<double> clipped_ = Quantized(values_, -0.5, 0.5);
  const std::vector<double> faded_ = Quantized(Gaussian(20'000, 0.05));
  std::vector<LayerTensor> baseline_, variant_;
  PlainHistograms histograms_;
};

TEST_F(CarriedErrorsTest, BlamesTheFirstOutputThatFailsAndCallsThoseBehindItVictims) {
  Add("stem/Output", 0, Quantized(values_));
  Add("conv0/weight", 1, Quantized(values_));
  Add("conv0/Output", 1, clipped_);
  Add("fc0/Output", 2, faded_);
  Add("fc1/weight", 3, Quantized(values_));
  Add("fc1/Output", 3, faded_);
  const LayerRanking ranking = RankLayers(baseline_, variant_, histograms_);
  EXPECT_THAT(LayersOf(ranking),
              ElementsAre("conv0", "fc0", "fc1", ::testing::_, ::testing::_, ::testing::_));
  const RankedLayer& first = ranking.layers[0];
  EXPECT_EQ(first.diagnosis.cause, Cause::kOverClipped);
  EXPECT_EQ(first.carried_from, "");
  EXPECT_THAT(first.diagnosis.explanation, HasSubstr("the error starts here"));
  for (const std::size_t victim : {1u, 2u}) {
    EXPECT_EQ(ranking.layers[victim].diagnosis.cause, Cause::kCarried);
    EXPECT_EQ(ranking.layers[victim].carried_from, "conv0");
    EXPECT_EQ(ranking.layers[victim].diagnosis.level, Level::kRed);
  }
}

TEST_F(CarriedErrorsTest, LeavesLayersWhoseOwnWeightsFailOrThatWereMeasuredToThemselves) {
  Add("conv0/Output", 0, clipped_);
  Add("fc0/weight", 1, faded_);
  Add("fc0/Output", 1, faded_);
  Add("fc1/Output", 2, faded_);
  const LayerRanking ranking =
      RankLayers(baseline_, variant_, histograms_, {{"fc1", {{"sqnr_db", 3}}}});
  for (const RankedLayer& layer : ranking.layers) {
    EXPECT_EQ(layer.carried_from, "") << layer.variant.tag;
  }
}

TEST(MarkPrunedOutputs, DoesNotCallOutputsOfPrunedWeightsFaults) {
  std::vector<RankedLayer> layers(3);
  const auto set = [&](std::size_t i, const char* tag, std::size_t depth, Cause cause) {
    layers[i].baseline = Tensor("r", tag);
    layers[i].baseline.depth = depth;
    layers[i].diagnosis = {.level = Level::kRed, .cause = cause, .explanation = "low"};
  };
  set(0, "conv0/Output/fp32", 0, Cause::kChanged);  // Before all pruned layers.
  set(1, "conv1/weight/fp32", 1, Cause::kPruned);
  set(2, "conv1/Output/fp32", 1, Cause::kChanged);
  MarkPrunedOutputs(layers);
  EXPECT_EQ(layers[0].diagnosis.level, Level::kRed);
  EXPECT_EQ(layers[2].diagnosis.cause, Cause::kPruned);
  EXPECT_EQ(layers[2].diagnosis.level, Level::kAmber);
}

TEST(RankLayers, RanksNothing) {
  EXPECT_THAT(RankLayers({}, {}, PlainHistograms()).layers, IsEmpty());
}

TEST_F(RankLayersTest, MeasuresNothingBetweenValuesFromBeforeQuantization) {
  const LayerRanking ranking = RankLayers(baseline_, variant_, histograms_, {},
                                          {.not_measured = "not measured: both float"});
  EXPECT_EQ(CountLevels(ranking).unmeasured, 3u);
  for (const RankedLayer& layer : ranking.layers) {
    EXPECT_EQ(layer.diagnosis.level, Level::kUnmeasured);
    EXPECT_FALSE(layer.level_metric);
    EXPECT_FALSE(layer.histogram);
    EXPECT_EQ(layer.diagnosis.explanation, "not measured: both float");
  }
  const LayerRanking measured =
      RankLayers(baseline_, variant_, histograms_, {{"healthy", {{"cosine", 0.5}}}},
                 {.not_measured = "not measured: both float"});
  EXPECT_EQ(CountLevels(measured).red, 1u) << "figures say what histograms cannot";
}

TEST_F(RankLayersTest, TakesTheSameHistogramTwiceForNoMeasurement) {
  const LayerRanking ranking = RankLayers(baseline_, baseline_, histograms_);
  EXPECT_EQ(CountLevels(ranking).unmeasured, 3u);
  EXPECT_THAT(ranking.layers[0].diagnosis.explanation, HasSubstr("logged twice"));
}

TEST_F(RankLayersTest, TakesTheLevelFromTheShownNumber) {
  const LayerRanking ranking =
      RankLayers(baseline_, variant_, histograms_, {{"healthy", {{"sqnr_db", 11.7}}}},
                 {.widths = {.weight_bits = 4, .activation_bits = 4}});
  for (const RankedLayer& layer : ranking.layers) {
    ASSERT_TRUE(layer.level_metric);
    const LevelMetric& metric = *layer.level_metric;
    EXPECT_EQ(metric.bits, 4);
    if (layer.baseline.layer != "healthy") continue;
    EXPECT_EQ(metric.db, 11.7);
    EXPECT_EQ(metric.by, "sqnr_db");
    EXPECT_GT(metric.as_of_8_bits_db(), 20) << "a score of its own";
    EXPECT_EQ(layer.diagnosis.level, metric.db < metric.red_db     ? Level::kRed
                                     : metric.db < metric.amber_db ? Level::kAmber
                                                                   : Level::kGreen);
  }
}

TEST(RankLayers, ShowsOfAFindingTheSqnrThatItsBitsHave) {
  const LayerRanking ranking =
      RankLayers({}, {}, PlainHistograms(), {{"conv", {{"sqnr_db", 11.7}}}},
                 {.findings = {{"conv",
                                {.level = Level::kAmber,
                                 .severity_db = verdict::AsOf8BitsDb(11.7, 4),
                                 .bits = 4,
                                 .part = "weight",
                                 .cause = Cause::kOutliers}}}});
  ASSERT_EQ(ranking.layers.size(), 1u);
  ASSERT_TRUE(ranking.layers[0].level_metric);
  EXPECT_EQ(ranking.layers[0].level_metric->db, 11.7);
  EXPECT_EQ(ranking.layers[0].level_metric->by, "sqnr_db");
  EXPECT_NEAR(ranking.layers[0].level_metric->red_db, verdict::LimitDb(20, 4), 1e-9);
}

// The metrics of a layer are stored with its output; they decide the level of its weights, too.
TEST(RankLayers, ShowsOfWeightsTheWorstChannelThatWasMeasured) {
  PlainHistograms histograms;
  std::vector<LayerTensor> before, after;
  for (const std::string tensor : {"conv/weight", "conv/Output"}) {
    before.push_back(Tensor("a", tensor + "/fp32"));
    after.push_back(Tensor("b", tensor + "/int8"));
    histograms.Add("a", before.back().tag, Gaussian(1000));
    histograms.Add("b", after.back().tag, Quantized(Gaussian(1000)));
  }
  const LayerRanking ranking = RankLayers(
      before, after, histograms, {{"conv", {{"sqnr_db", 29.1}, {"worst_channel_sqnr_db", 0}}}},
      {.findings = {{"conv",
                     {.level = Level::kAmber,
                      .severity_db = 10,
                      .part = "weight",
                      .cause = Cause::kChannelSpread}}}});
  ASSERT_EQ(ranking.layers.size(), 2u);
  for (const RankedLayer& layer : ranking.layers) {
    EXPECT_EQ(layer.level_metric.value().by, "worst_channel_sqnr_db") << layer.variant.tag;
    EXPECT_EQ(layer.level_metric.value().db, 0) << layer.variant.tag;
  }
}

// The severity of layers that runs have found guilty puts them first, and is no measurement.
TEST(RankLayers, ShowsOfAGuiltyLayerWhatWasMeasuredAtTheOutput) {
  const auto metric_of = [](std::optional<double> end_sqnr_db) {
    return RankLayers({}, {}, PlainHistograms(), {{"conv", {{"sqnr_db", 30.8}}}},
                      {.findings = {{"conv",
                                     {.level = Level::kRed,
                                      .severity_db = -96.9,
                                      .part = "weight",
                                      .cause = Cause::kChannelSpread,
                                      .is_measured_at_end = true,
                                      .end_sqnr_db = end_sqnr_db}}}})
        .layers.at(0)
        .level_metric.value();
  };
  EXPECT_EQ(metric_of(3.1).db, 3.1);
  EXPECT_EQ(metric_of(3.1).by, "end_sqnr_db");
  EXPECT_EQ(metric_of(std::nullopt).db, 30.8);
  EXPECT_EQ(metric_of(std::nullopt).by, "sqnr_db");
}

TEST_F(RankLayersTest, PutsLayersWhereTheGraphHasThem) {
  const LayerRanking ranking =
      RankLayers(baseline_, variant_, histograms_, {},
                 {.places = {{"shifted", 0}, {"healthy", 3}, {"clipped", 7}}});
  EXPECT_TRUE(ranking.in_graph_order);
  for (const RankedLayer& layer : ranking.layers) {
    EXPECT_EQ(layer.baseline.depth, layer.baseline.layer == "shifted"   ? 0u
                                    : layer.baseline.layer == "healthy" ? 3u
                                                                        : 7u);
  }
  EXPECT_FALSE(
      RankLayers(baseline_, variant_, histograms_, {}, {.places = {{"other", 0}}}).in_graph_order);
}

}  // namespace
}  // namespace cboard::analysis
