#include "cboard/analysis/layer_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/testing/log_builder.h"
#include "analysis/testing/sample_histogram.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/verified_runs.h"

namespace cboard::analysis {
namespace {

std::shared_ptr<const reader::Run> RunWith(std::string name, std::string directory,
                                           const std::vector<std::string>& histograms) {
  auto run = std::make_shared<reader::Run>();
  run->name = std::move(name);
  run->directory = std::move(directory);
  for (const std::string& tag : histograms) {
    auto info = std::make_shared<reader::TagInfo>();
    info->name = tag;
    info->kind = reader::TagKind::kHistogram;
    run->tags.push_back({.info = std::move(info)});
  }
  return run;
}

std::vector<std::string> Variants(const reader::Snapshot& snapshot) {
  std::vector<std::string> variants;
  for (const VariantLayers& side : FindVariantLayers(snapshot)) variants.push_back(side.variant);
  return variants;
}

TEST(LayerSides, AreTheVariantsThatTagsName) {
  const reader::Snapshot snapshot{
      .runs = {RunWith("log", "log", {"conv1/weight/fp32", "conv1/weight/int8", "other"})}};
  EXPECT_THAT(Variants(snapshot), ::testing::ElementsAre("fp32", "int8"));
  EXPECT_EQ(FindSide(FindVariantLayers(snapshot), "", "int8")->run, "log");
  EXPECT_EQ(FindSide(FindVariantLayers(snapshot), "", "int4"), nullptr);
}

TEST(LayerSides, AreTheTrialsOfTuning) {
  const reader::Snapshot snapshot{
      .runs = {RunWith("eval/baseline_acc_0.776", "eval/baseline_acc_0.776", {"conv1/Output/fp32"}),
               RunWith("eval/tune_1_acc_0.095", "eval/tune_1_acc_0.095",
                       {"conv1/Output/int8", "conv1/scale/fp32"})}};
  EXPECT_THAT(Variants(snapshot), ::testing::ElementsAre("baseline", "tune_1"));
  // The scale belongs to the trial, too.
  EXPECT_EQ(FindVariantLayers(snapshot)[1].tensor_count, 2u);
}

TEST(LayerSides, KnowTrialsThatHaveBeenGivenNames) {
  const reader::Snapshot snapshot{
      .runs = {RunWith("baseline/.", "eval/baseline_acc_0.776", {"conv1/Output/fp32"}),
               RunWith("tune_1/.", "eval/tune_1_acc_0.095", {"conv1/Output/int8"})}};
  EXPECT_THAT(Variants(snapshot), ::testing::ElementsAre("baseline", "tune_1"));
}

// Sorted by run name, after_quantization comes before thresholds_selection.
TEST(LayerSides, AreStagesInTheOrderOfThePipelineWhichTheTableKnowsByTheirEnds) {
  const auto stage = [](const std::string& name) {
    return RunWith("net/" + name, "net/" + name, {"conv1"});
  };
  const reader::Snapshot snapshot{
      .runs = {stage("after_quantization"), stage("initial_graph"), stage("thresholds_selection")}};
  EXPECT_THAT(Variants(snapshot), ::testing::ElementsAre("initial_graph", "thresholds_selection",
                                                         "after_quantization"));
  const auto pair = FindSides(FindVariantLayers(snapshot), "", "float", "quantized");
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->a.variant, "initial_graph");
  EXPECT_EQ(pair->b.variant, "after_quantization");
  // A single stage is also known: its statistics are those of the float model.
  const reader::Snapshot single{.runs = {stage("thresholds_selection")}};
  EXPECT_NE(FindSide(FindVariantLayers(single), "", "float"), nullptr);
  EXPECT_EQ(FindSide(FindVariantLayers(single), "", "quantized"), nullptr);
}

// The damaged layer of docs/stages.md: both tensors as a whole look undamaged.
TEST(LayerSides, OfStagesAreBlamedOnTheChannelThatTakesTheCodesFromOthers) {
  LogBuilder log;
  const std::vector<double> values = Gaussian(1'000);
  log.Histogram("net/thresholds_selection", "conv1", values);
  log.Histogram("net/after_quantization", "conv1", values);
  log.Scalar("net/after_quantization", "Net/layers/conv1/sqnr_db/after_quantization", 33.1);
  log.Scalar("net/after_quantization", "Net/layers/conv1/worst_channel_sqnr_db/after_quantization",
             2.1);
  const auto ranked = [&] {
    const auto snapshot = log.Read();
    const auto pair = FindSides(FindVariantLayers(*snapshot), "", "float", "quantized");
    return RankVariants(snapshot, &pair->a, pair->b).layers.at(0);
  };
  EXPECT_EQ(ranked().diagnosis.cause, Cause::kChanged);
  for (std::int64_t channel = 0; channel < 16; ++channel) {
    log.Scalar("net/thresholds_selection/max_per_channel", "conv1", channel == 5 ? 127 : 1,
               channel);
  }
  EXPECT_EQ(ranked().diagnosis.level, Level::kRed);
  EXPECT_EQ(ranked().diagnosis.cause, Cause::kChannelSpread);
  EXPECT_THAT(ranked().diagnosis.explanation,
              ::testing::HasSubstr("channel 5 reaches 127, 127 times the median channel"));
}

// Limits are defined for 8 bits; with 4 bits the SQNR is 24 dB lower.
TEST(LayerSides, UseTheBitsOfTheirHyperparameters) {
  LogBuilder log;
  const std::vector<double> values = Gaussian(5'000);
  const auto [low, high] = std::ranges::minmax(values);
  log.Histogram("r", "net/layers/fc/weight/fp32", values);
  for (const std::string variant : {"w4", "unknown"}) {
    log.Histogram("r", "net/layers/fc/weight/" + variant, Quantized(values, low, high, 16));
    log.Scalar("r", "net/layers/only_figures/sqnr_db/" + variant, 17);
  }
  log.HParams(
      "rows/net/w4",
      {{"model_name", std::string("net")}, {"variant", std::string("w4")}, {"weight_bits", 4.0}},
      {});
  const auto snapshot = log.Read();
  const auto levels_of = [&](const char* variant) {
    const auto pair = FindSides(FindVariantLayers(*snapshot), "net", "fp32", variant);
    std::map<std::string, Level> levels;
    for (const RankedLayer& layer : RankVariants(snapshot, &pair->a, pair->b).layers) {
      levels[layer.variant.layer] = layer.diagnosis.level;
    }
    return levels;
  };
  using ::testing::Pair;
  EXPECT_THAT(levels_of("unknown"),
              ::testing::ElementsAre(Pair("fc", Level::kRed), Pair("only_figures", Level::kRed)));
  EXPECT_THAT(levels_of("w4"), ::testing::ElementsAre(Pair("fc", Level::kGreen),
                                                      Pair("only_figures", Level::kGreen)));
}

// `compare` logged two models to one directory, and their layers have the same names.
class TwoModelsOfOneRun : public ::testing::Test {
 protected:
  TwoModelsOfOneRun() {
    const std::vector<double> values = Gaussian(1'000);
    std::vector<double> shifted = values;
    for (double& value : shifted) value += 1;
    for (const auto& [model, after, sqnr] :
         {std::tuple("good", &values, 41.0), std::tuple("bad", &std::as_const(shifted), 3.0)}) {
      const std::string fc = std::string(model) + "/layers/fc/";
      log_.Histogram("r", fc + "weight/fp32", values).Histogram("r", fc + "weight/int8", *after);
      log_.Scalar("r", fc + "sqnr_db/int8", sqnr);
      // This layer has metrics only.
      log_.Scalar("r", std::string(model) + "/layers/only_" + model + "/sqnr_db/int8", sqnr);
    }
    log_.Json("r", "bad/findings/int8",
              R"({"v":1,"layers":[{"layer":"fc","level":"red","severity_db":3,"part":"weight",)"
              R"("cause":"bias_shift","explanation":"shifted"}]})");
    log_.Json("r", "bad/verified/runs/int8", R"({"v":1,"why_not_verified":"not asked for"})");
  }

  struct RankedLayers {
    LayerRanking ranking;
    std::optional<VerifiedRuns> verified;
  };
  RankedLayers Ranked(std::string_view model) {
    const auto snapshot = log_.Read();
    const auto pair = FindSides(FindVariantLayers(*snapshot), model, "fp32", "int8");
    EXPECT_TRUE(pair);
    return {RankVariants(snapshot, &pair->a, pair->b),
            ReadVerifiedRuns(*snapshot->FindRun("r"), FindingsOf(pair->b))};
  }

  LogBuilder log_;
};

TEST_F(TwoModelsOfOneRun, KeepTheirLayersApart) {
  for (const auto& [model, level, sqnr] :
       {std::tuple("good", Level::kGreen, 41.0), std::tuple("bad", Level::kRed, 3.0)}) {
    const LayerRanking ranking = Ranked(model).ranking;
    std::vector<std::string> layers;
    for (const RankedLayer& layer : ranking.layers) {
      layers.push_back(layer.variant.layer);
      EXPECT_EQ(layer.diagnosis.level, level) << model << " " << layer.variant.layer;
      EXPECT_EQ(layer.logged.at("sqnr_db"), sqnr) << model << " " << layer.variant.layer;
    }
    EXPECT_THAT(layers, ::testing::UnorderedElementsAre("fc", "only_" + std::string(model)));
    EXPECT_TRUE(ranking.baseline_only.empty());
    EXPECT_TRUE(ranking.variant_only.empty());
  }
}

TEST_F(TwoModelsOfOneRun, KeepFindingsAndWhatWasVerifiedApart) {
  EXPECT_EQ(Ranked("good").ranking.layers[0].diagnosis.cause, Cause::kNone);
  EXPECT_FALSE(Ranked("good").verified);
  EXPECT_EQ(Ranked("bad").ranking.layers[0].diagnosis.cause, Cause::kBiasShift);
  ASSERT_TRUE(Ranked("bad").verified);
  EXPECT_EQ(Ranked("bad").verified->why_not, "not asked for");
}

// Tags without a model name do not belong to them, either.
TEST_F(TwoModelsOfOneRun, LeaveWhatNamesNoModelToItself) {
  log_.Histogram("r", "conv/weight/fp32", Gaussian(100));
  log_.Histogram("r", "conv/weight/int8", Gaussian(100));
  const auto snapshot = log_.Read();
  const auto sides = FindVariantLayers(*snapshot);
  const auto unnamed = FindSides(sides, "", "fp32", "int8");
  ASSERT_TRUE(unnamed);
  EXPECT_EQ(unnamed->a.model, "");
  const LayerRanking ranking = RankVariants(snapshot, &unnamed->a, unnamed->b);
  ASSERT_EQ(ranking.layers.size(), 1u);
  EXPECT_EQ(ranking.layers[0].variant.layer, "conv");
  EXPECT_EQ(Ranked("good").ranking.layers.size(), 2u);
}

TEST(FindSides, TakesBothFromOneModel) {
  const std::vector<VariantLayers> sides = {{.model = "a", .variant = "fp32"},
                                            {.model = "b", .variant = "fp32"},
                                            {.model = "b", .variant = "int4"},
                                            {.model = "c", .variant = "int8"}};
  EXPECT_EQ(FindSides(sides, "", "fp32", "int4")->a.model, "b");
  EXPECT_FALSE(FindSides(sides, "", "fp32", "int8"));
  EXPECT_FALSE(FindSides(sides, "a", "fp32", "int4"));
}

// Histograms keep a space that scalar tags cannot contain; labels have the original name.
TEST(LayerSides, AreOfOneModelHoweverTagsSpellIt) {
  LogBuilder log;
  log.Histogram("r", "my net/layers/fc/weight/fp32", Gaussian(100));
  log.Histogram("r", "my net/layers/fc/weight/int8", Gaussian(100));
  log.Scalar("r", "my_net/layers/fc/sqnr_db/int8", 12);
  const auto snapshot = log.Read();
  const auto sides = FindVariantLayers(*snapshot);
  ASSERT_EQ(sides.size(), 2u);
  const auto pair = FindSides(sides, "my_net", "fp32", "int8");
  const LayerRanking ranking = RankVariants(snapshot, &pair->a, pair->b);
  ASSERT_EQ(ranking.layers.size(), 1u);
  EXPECT_EQ(ranking.layers[0].logged.at("sqnr_db"), 12);
}

TEST(FindVariantLayers, CallsNoStageQuantizedThatHoldsValuesOfTheFloatModel) {
  LogBuilder log;
  for (const char* stage : {"thresholds_selection", "post_statistics_collection_substitutions"}) {
    log.Histogram(std::string("mct/") + stage, "conv1", {1, 2, 3, 4});
  }
  const auto sides = FindVariantLayers(*log.Read());
  ASSERT_EQ(sides.size(), 2u);
  EXPECT_EQ(sides[0].table_variant, "float");
  EXPECT_EQ(sides[1].table_variant, "");
  EXPECT_EQ(sides[1].values, ValueState::kFloat);
  EXPECT_NE(WhyNotMeasured(sides[0], sides[1]), "");
  EXPECT_NE(WhyNotMeasured(sides, "mct"), "");
}

TEST(FindVariantLayers, ComparesTheFloatModelWithTheStageAfterQuantization) {
  LogBuilder log;
  log.Histogram("mct/thresholds_selection", "conv1", {1, 2, 3, 4})
      .Histogram("mct/after_quantization", "conv1", {1, 2, 3, 3});
  const auto sides = FindVariantLayers(*log.Read());
  ASSERT_EQ(sides.size(), 2u);
  EXPECT_EQ(sides[1].table_variant, "quantized");
  EXPECT_EQ(WhyNotMeasured(sides[0], sides[1]), "");
  EXPECT_EQ(WhyNotMeasured(sides, "mct"), "");
}

TEST(FindVariantLayers, TakesAStageThatHasOnlyFiguresForTheQuantizedSide) {
  LogBuilder log;
  log.Histogram("mct/thresholds_selection", "conv1", {1, 2, 3, 4})
      .Scalar("mct/after_statistics_correction",
              "net/layers/conv1/cosine/after_statistics_correction", 0.5);
  const auto snapshot = log.Read();
  const auto sides = FindVariantLayers(*snapshot);
  ASSERT_EQ(sides.size(), 2u);
  EXPECT_EQ(sides[1].table_variant, "quantized");
  const LayerRanking ranking = RankVariants(snapshot, &sides[0], sides[1]);
  ASSERT_EQ(ranking.layers.size(), 1u);
  EXPECT_EQ(ranking.layers[0].diagnosis.level, Level::kRed);
}

}  // namespace
}  // namespace cboard::analysis
