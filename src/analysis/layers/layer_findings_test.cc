#include "cboard/analysis/layer_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "analysis/testing/log_builder.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/verdict/bit_limits.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;

// A diagnosis as `compare --logdir` logs it; JSON has no infinity.
constexpr const char* kFindings = R"({"v":1,"layers":[
 {"layer":"/a","bits":4,"level":"red","severity_db":12.5,"part":"output","cause":"channel_spread",
  "explanation":"one scale for channels of very different size","fix":"one scale per channel"},
 {"layer":"/b","level":"green","severity_db":30,"part":"weight","cause":"none","explanation":""},
 {"layer":"/c","level":"green","severity_db":null,"part":"weight","cause":"none",
  "explanation":""}]})";

TEST(LayerFindings, AreReadByLayer) {
  const auto findings = ParseLayerFindings(kFindings);
  ASSERT_THAT(findings, testing::Succeeds());
  ASSERT_EQ(findings->size(), 3u);
  const LayerFinding& worst = findings->at("/a");
  EXPECT_EQ(worst.level, Level::kRed);
  EXPECT_EQ(worst.severity_db, 12.5);
  EXPECT_EQ(worst.part, "output");
  EXPECT_EQ(worst.cause, Cause::kChannelSpread);
  EXPECT_EQ(worst.explanation, "one scale for channels of very different size");
  EXPECT_EQ(worst.fix, "one scale per channel");
  EXPECT_FALSE(worst.is_measured_at_end);
  EXPECT_EQ(worst.bits, 4);
  EXPECT_EQ(findings->at("/c").severity_db, HUGE_VAL);
  EXPECT_EQ(findings->at("/c").bits, 8);  // Older logs do not contain this member.
}

TEST(LayerFindings, HaveTheOutputSqnrOfGuiltyLayersWhereItWasMeasured) {
  const auto findings = ParseLayerFindings(
      R"({"v":1,"layers":[{"layer":"/a","level":"red","severity_db":-96,"end_sqnr_db":3.5},
          {"layer":"/b","level":"red","severity_db":-46,"end_sqnr_db":null}]})");
  ASSERT_THAT(findings, testing::Succeeds());
  EXPECT_TRUE(findings->at("/a").is_measured_at_end);
  EXPECT_EQ(findings->at("/a").end_sqnr_db, 3.5);
  EXPECT_TRUE(findings->at("/b").is_measured_at_end);
  EXPECT_FALSE(findings->at("/b").end_sqnr_db);
}

TEST(LayerFindings, HaveTheVerdictOnTheOutputs) {
  const auto verdict = ParseOutputsVerdict(
      R"({"v":1,"verdict":{"level":"broken","sentence":"Broken: all 0."},"layers":[]})");
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->is_broken());
  EXPECT_EQ(verdict->sentence, "Broken: all 0.");
  for (const char* without : {kFindings, "", "{", R"({"v":1,"verdict":7})",
                              R"({"v":1,"verdict":{"sentence":"no level"}})"}) {
    EXPECT_FALSE(ParseOutputsVerdict(without)) << without;
  }
}

TEST(LayerFindings, AreReadOnlyFromWhatIsOneOfThem) {
  for (const char* other : {"", "[]", "{", "null", R"({"v":2,"layers":[]})", "{}"}) {
    EXPECT_THAT(ParseLayerFindings(other),
                testing::FailsSaying(ErrorCode::kDataLoss, "findings of a comparison: "))
        << other;
  }
  const auto odd = ParseLayerFindings(
      R"({"v":1,"layers":[7,{"level":"red"},{"layer":"x","level":"blue"},{"layer":"y","level":"amber"}]})");
  ASSERT_THAT(odd, testing::Succeeds());
  ASSERT_EQ(odd->size(), 1u);
  EXPECT_EQ(odd->begin()->first, "y");
}

TEST(LayerFindings, WinOverFiguresAndPutTheRedOnesFirst) {
  const std::map<std::string, LayerMetrics, std::less<>> logged = {
      {"/a", {{"sqnr_db", 34.4}}}, {"/b", {{"sqnr_db", 12.0}}}, {"/d", {{"sqnr_db", 15.0}}}};
  class NoHistograms final : public HistogramSource {
    Result<ValueDistribution> Read(std::string_view, std::string_view,
                                   std::optional<std::int64_t>) const override {
      return Fail(ErrorCode::kNotFound, "none");
    }
  };
  const LayerRanking ranking =
      RankLayers({}, {}, NoHistograms(), logged, {.findings = *ParseLayerFindings(kFindings)});
  ASSERT_EQ(ranking.layers.size(), 3u);
  const auto described = [&](std::size_t i) {
    const RankedLayer& layer = ranking.layers[i];
    return layer.variant.layer + " " + std::string(NameOf(layer.diagnosis.level)) + " " +
           std::string(NameOf(layer.diagnosis.cause));
  };
  // The last layer has only logged metrics, for which 15 dB are red.
  EXPECT_THAT((std::array{described(0), described(1), described(2)}),
              ElementsAre("/a red channel_spread", "/d red changed", "/b green none"));
  EXPECT_NEAR(ranking.layers[0].severity, std::pow(10, -12.5 / 20), 1e-12);
  EXPECT_EQ(ranking.layers[0].diagnosis.explanation,
            "one scale for channels of very different size");
}

TEST(LayerFindings, WhatStandsBesideThemIsAsOfEightBits) {
  std::vector<double> values, rounded;
  for (int i = -300; i <= 300; ++i) {
    values.push_back(i / 100.0);
    rounded.push_back(std::round(values.back() / 0.4) * 0.4);
  }
  LogBuilder log;
  log.Histogram("r", "net/layers/fc/weight/fp32", values)
      .Histogram("r", "net/layers/fc/weight/int4", rounded)
      .Histogram("r", "net/layers/fc/output/fp32", values)
      .Histogram("r", "net/layers/fc/output/int4", values);
  log.Scalar("r", "net/layers/fc/sqnr_db/int4", 17);
  log.Json("r", "net/findings/int4",
           R"({"v":1,"layers":[{"layer":"fc","bits":4,"level":"green","severity_db":35.6,)"
           R"("part":"output","cause":"none","explanation":""}]})");
  const auto snapshot = log.Read();
  const auto pair = FindSides(FindVariantLayers(*snapshot), "net", "fp32", "int4");
  ASSERT_TRUE(pair);
  const LayerRanking ranking = RankVariants(snapshot, &pair->a, pair->b);
  ASSERT_EQ(ranking.layers.size(), 2u);
  for (const RankedLayer& layer : ranking.layers) {
    const double judged = -20 * std::log10(layer.severity);
    EXPECT_EQ(layer.diagnosis.level, Level::kGreen);
    if (layer.variant.role == TensorRole::kWeight) {
      EXPECT_LT(layer.histogram->sqnr_at_most_db, 30);
      EXPECT_NEAR(judged, verdict::AsOf8BitsDb(layer.histogram->sqnr_at_most_db, 4), 1e-6);
    } else {
      EXPECT_NEAR(judged, 35.6, 1e-6);
    }
  }
}

TEST(LayerFindings, TheLastThatWereLoggedOfThisModelCount) {
  LogBuilder log;
  log.Json("r", "net/findings/int8", kFindings);
  log.Json("r", "net/findings/int8", R"({"v":1,"layers":[{"layer":"n","level":"green"}]})");
  log.Json("r", "other/findings/int8", "damaged");
  const auto snapshot = log.Read();
  const auto& run = *snapshot->FindRun("r");
  const auto findings = ReadLayerFindings(run, {.model = "net", .variant = "int8"});
  ASSERT_THAT(findings, testing::Succeeds());
  ASSERT_EQ(findings->size(), 1u);
  EXPECT_EQ(findings->begin()->first, "n");
  EXPECT_TRUE(ReadLayerFindings(run, {.model = "net", .variant = "int4"})->empty());
  EXPECT_THAT(ReadLayerFindings(run, {.model = "other", .variant = "int8"}),
              testing::FailsSaying(ErrorCode::kDataLoss,
                                   "run 'r', tag 'other/findings/int8': findings of a comparison"));
}

}  // namespace
}  // namespace cboard::analysis
