#include "cboard/compression/aurora.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "testing/matchers.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::Succeeds;

// The example that was printed with the published formula: 0.6717. It states a drop of 6.00 %, and
// prints the accuracy with only four digits, as 0.6230.
const Metrics kPublishedBaseline = {{"accuracy", 0.6628},
                                    {"latency_mean_ms", 15},
                                    {"memory_usage_mb", 800},
                                    {"energy_consumption_mw", 45000},
                                    {"throughput", 1000}};
const Metrics kPublishedVariant = {{"accuracy", 0.6628 * 0.94},
                                   {"latency_mean_ms", 9},
                                   {"memory_usage_mb", 560},
                                   {"energy_consumption_mw", 36000},
                                   {"throughput", 1500}};

// The second published example, which prints 2.380 and has no throughput.
const Metrics kDemoBaseline = {{"accuracy", 0.82},
                               {"latency_mean_ms", 1060},
                               {"memory_usage_mb", 0.25},
                               {"model_size_mb", 44.72},
                               {"energy_consumption_mw", 11070}};
const Metrics kDemoVariant = {{"accuracy", 0.79},
                              {"latency_mean_ms", 640},
                              {"memory_usage_mb", 0.06},
                              {"model_size_mb", 11.23},
                              {"energy_consumption_mw", 9920}};

// Returns metrics with all five terms: `resource` times better, at `quality` of the baseline's
// accuracy.
std::pair<Metrics, Metrics> Improved(double quality, double resource) {
  return {{{"accuracy", 1},
           {"throughput", 1},
           {"latency_mean_ms", 1},
           {"energy_consumption_mw", 1},
           {"memory_usage_mb", 1}},
          {{"accuracy", quality},
           {"throughput", resource},
           {"latency_mean_ms", 1 / resource},
           {"energy_consumption_mw", 1 / resource},
           {"memory_usage_mb", 1 / resource}}};
}

TEST(Aurora, GivesThePublishedScore) {
  const auto aurora = ComputeAurora(kPublishedBaseline, kPublishedVariant);
  ASSERT_THAT(aurora, Succeeds());
  EXPECT_NEAR(aurora->score, 0.671733, 5e-7);
  EXPECT_DOUBLE_EQ(aurora->coverage, 1);
}

TEST(Aurora, KeepsTheSecondPublishedScoreAsTheMean) {
  const auto aurora = ComputeAurora(kDemoBaseline, kDemoVariant);
  ASSERT_THAT(aurora, Succeeds());
  EXPECT_NEAR(aurora->mean, 2.376890, 5e-7);
  EXPECT_NEAR(aurora->score, 0.913082, 5e-7);
  EXPECT_DOUBLE_EQ(aurora->coverage, 0.8);
}

TEST(Aurora, IsOneForAModelComparedWithItself) {
  const auto aurora = ComputeAurora(kPublishedBaseline, kPublishedBaseline);
  ASSERT_THAT(aurora, Succeeds());
  EXPECT_DOUBLE_EQ(aurora->score, 1);
  EXPECT_DOUBLE_EQ(aurora->mean, 1);
  EXPECT_DOUBLE_EQ(aurora->penalty_factor, 1);
}

TEST(Aurora, IsTheProductOfItsFactors) {
  for (const auto& [baseline, variant] :
       {std::pair(kPublishedBaseline, kPublishedVariant), std::pair(kDemoBaseline, kDemoVariant)}) {
    const auto aurora = ComputeAurora(baseline, variant);
    ASSERT_THAT(aurora, Succeeds());
    double product = aurora->penalty_factor;
    double weights = 0;
    for (const AuroraFactor& factor : aurora->factors) {
      product *= factor.factor;
      weights += factor.weight;
    }
    EXPECT_NEAR(product, aurora->score, 1e-12);
    EXPECT_NEAR(weights, aurora->coverage, 1e-12);
  }
}

TEST(Aurora, SeesTheDisasterThatTheMeanHides) {
  const Metrics baseline = {{"accuracy", .776},
                            {"throughput", 1},
                            {"latency_mean_ms", 3},
                            {"energy_consumption_mw", 3},
                            {"memory_usage_mb", 4}};
  const Metrics broken = {{"accuracy", .095},
                          {"throughput", 3},
                          {"latency_mean_ms", 1},
                          {"energy_consumption_mw", 1},
                          {"memory_usage_mb", 1}};
  const auto aurora = ComputeAurora(baseline, broken);
  ASSERT_THAT(aurora, Succeeds());
  EXPECT_NEAR(aurora->mean, 2.62, 0.005);
  EXPECT_NEAR(aurora->score, 0.0001, 0.00005);

  const auto [whole, half] = Improved(0.5, 4);
  EXPECT_NEAR(ComputeAurora(whole, half)->mean, 3.3, 1e-9);
  EXPECT_NEAR(ComputeAurora(whole, half)->score, 0.012, 0.0005);
}

TEST(Aurora, BreaksEvenAtFourTimesTheResourcesForAnEightPercentLoss) {
  const auto [baseline, variant] = Improved(1 - 0.0798, 4);
  EXPECT_NEAR(ComputeAurora(baseline, variant)->score, 1, 0.002);
}

TEST(Aurora, DoesNotMakeUpThroughputFromLatency) {
  const auto aurora = ComputeAurora({{"accuracy", .9}, {"latency_mean_ms", 2}},
                                    {{"accuracy", .9}, {"latency_mean_ms", 1}});
  ASSERT_THAT(aurora, Succeeds());
  EXPECT_NEAR(aurora->coverage, .55, 1e-12);
  EXPECT_EQ(aurora->factors.size(), 2u);
}

TEST(Aurora, IgnoresFileSize) {
  Metrics smaller = kPublishedVariant;
  Metrics baseline = kPublishedBaseline;
  baseline["model_size_mb"] = 100;
  smaller["model_size_mb"] = 1;
  EXPECT_NEAR(ComputeAurora(baseline, smaller)->score, 0.671733, 5e-7);
}

TEST(Aurora, TakesAQualityThatShouldBeLow) {
  AuroraOptions options;
  options.quality = {"perplexity", 0.4, Better::kLower};
  const Metrics baseline = {{"perplexity", 10}, {"memory_usage_mb", 4}};
  EXPECT_GT(ComputeAurora(baseline, {{"perplexity", 10}, {"memory_usage_mb", 1}}, options)->score,
            1);
  EXPECT_LT(ComputeAurora(baseline, {{"perplexity", 20}, {"memory_usage_mb", 1}}, options)->score,
            0.1);
}

TEST(Aurora, ForgivesALossUpToTheThreshold) {
  AuroraOptions options;
  options.penalty_threshold = 0.02;
  const auto [baseline, variant] = Improved(0.99, 2);
  EXPECT_DOUBLE_EQ(ComputeAurora(baseline, variant, options)->penalty_factor, 1);
  options.penalty_threshold = 0.005;
  EXPECT_NEAR(ComputeAurora(baseline, variant, options)->penalty_factor, std::exp(-0.05), 1e-9);
}

TEST(Aurora, CountsQualityAboveChance) {
  const Metrics baseline = {{"accuracy", .6}, {"memory_usage_mb", 1}};
  const Metrics variant = {{"accuracy", .55}, {"memory_usage_mb", 1}};
  AuroraOptions options;
  options.chance_level = 0.5;  // Half of the accuracy above chance is lost.
  EXPECT_NEAR(ComputeAurora(baseline, variant, options)->factors[0].ratio, 0.5, 1e-9);
  options.chance_level = 0.6;
  EXPECT_THAT(ComputeAurora(baseline, variant, options),
              FailsSaying(ErrorCode::kInvalidArgument, "above the chance level"));
}

TEST(Aurora, ClampsRatiosThatCannotBeRight) {
  const auto [baseline, variant] = Improved(1, 1000);
  const auto aurora = ComputeAurora(baseline, variant);
  ASSERT_THAT(aurora, Succeeds());
  EXPECT_FALSE(aurora->factors[0].clamped);
  EXPECT_TRUE(aurora->factors[1].clamped);
  EXPECT_DOUBLE_EQ(aurora->factors[1].ratio, 64);
  EXPECT_NEAR(aurora->score, std::pow(64, 0.6), 1e-9);
}

TEST(Aurora, NeedsQuality) {
  Metrics variant = kPublishedVariant;
  variant.erase("accuracy");
  EXPECT_THAT(ComputeAurora(kPublishedBaseline, variant),
              FailsSaying(ErrorCode::kInvalidArgument, "have the quality metric accuracy"));
}

TEST(Aurora, NeedsHalfOfTheWeights) {
  EXPECT_THAT(ComputeAurora({{"accuracy", 1}}, {{"accuracy", 1}}),
              FailsSaying(ErrorCode::kInvalidArgument, "cover 40 % of the weights"));
  EXPECT_THAT(ComputeAurora({{"accuracy", 1}, {"memory_usage_mb", 1}},
                            {{"accuracy", 1}, {"memory_usage_mb", 1}}),
              Succeeds());
}

TEST(Aurora, SaysWhichValueGivesNoRatio) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Metrics variant = kPublishedVariant;
    variant["energy_consumption_mw"] = bad;
    EXPECT_THAT(ComputeAurora(kPublishedBaseline, variant),
                FailsSaying(ErrorCode::kInvalidArgument,
                            "energy_consumption_mw of the compressed model is"));
    EXPECT_THAT(ComputeAurora(variant, kPublishedBaseline),
                FailsSaying(ErrorCode::kInvalidArgument, "of the baseline is"));
  }
}

TEST(Aurora, RefusesWeightsThatMakeNoSense) {
  AuroraOptions negative;
  negative.memory.weight = -1;
  EXPECT_THAT(ComputeAurora(kPublishedBaseline, kPublishedVariant, negative),
              FailsWith(ErrorCode::kInvalidArgument));
  AuroraOptions no_quality;
  no_quality.quality.weight = 0;
  EXPECT_THAT(ComputeAurora(kPublishedBaseline, kPublishedVariant, no_quality),
              FailsWith(ErrorCode::kInvalidArgument));
  AuroraOptions nan_factor;
  nan_factor.penalty_factor = std::nan("");
  EXPECT_THAT(ComputeAurora(kPublishedBaseline, kPublishedVariant, nan_factor),
              FailsWith(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace cboard::compression
