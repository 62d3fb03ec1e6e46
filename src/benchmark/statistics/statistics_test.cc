#include "cboard/benchmark/statistics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

namespace cboard::benchmark {
namespace {

using ::testing::DoubleNear;

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwoMiddleValues) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({7}), 7);
}

TEST(Statistics, QuantilesAreInterpolated) {
  const std::vector<double> values = {0, 10, 20, 30, 40};
  EXPECT_EQ(QuantileOf(values, 0), 0);
  EXPECT_EQ(QuantileOf(values, 1), 40);
  EXPECT_EQ(QuantileOf(values, 0.5), 20);
  EXPECT_EQ(QuantileOf(values, 0.625), 25);
}

TEST(Statistics, PercentilesNeedAsManySamplesAsInLoadGen) {
  EXPECT_EQ(MinSampleCount(0.9), 64u);
  EXPECT_EQ(MinSampleCount(0.99), 662u);
  EXPECT_FALSE(PercentileOf(std::vector<double>(63, 1.0), 0.9).has_value());
  EXPECT_TRUE(PercentileOf(std::vector<double>(64, 1.0), 0.9).has_value());
  EXPECT_FALSE(PercentileOf(std::vector<double>(661, 1.0), 0.99).has_value());
  EXPECT_TRUE(PercentileOf(std::vector<double>(662, 1.0), 0.99).has_value());
}

std::vector<double> Noise(std::uint64_t seed, std::size_t count, double center, double deviation) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(center, deviation);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(Statistics, TheIntervalOfTheRatioCoversTheTruthInAtLeast93Of100Experiments) {
  constexpr double kTruth = 1.3;
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RatioEstimate estimate = EstimateRatio(Noise(seed, 60, std::log(kTruth), 0.1), seed);
    covered += estimate.low <= kTruth && kTruth <= estimate.high;
  }
  EXPECT_GE(covered, 2 * 93);
}

TEST(Statistics, DisturbancesThatLastSeveralBlocksWidenTheInterval) {
  std::vector<double> independent = Noise(1, 300, 0, 0.05), lasting = independent;
  for (std::size_t i = 0; i < lasting.size(); ++i) lasting[i] = independent[i / 6];
  EXPECT_GT(EstimateRatio(lasting, 0).RelativeWidth(),
            1.5 * EstimateRatio(independent, 0).RelativeWidth());
}

TEST(Statistics, AFewDisturbedBlocksDoNotMoveTheRatio) {
  std::vector<double> values = Noise(2, 100, std::log(2.0), 0.01);
  for (std::size_t i = 0; i < 15; ++i) values[i * 6] = std::log(40.0);
  EXPECT_THAT(EstimateRatio(values, 0).ratio, DoubleNear(2.0, 0.02));
}

TEST(Statistics, NonFiniteRatiosAreIgnored) {
  std::vector<double> values = Noise(3, 50, 0, 0.01);
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  values.push_back(std::numeric_limits<double>::infinity());
  EXPECT_EQ(EstimateRatio(values, 0).block_count, 50u);
  EXPECT_EQ(EstimateRatio({}, 0).block_count, 0u);
}

TEST(Statistics, TheQuickIntervalResemblesTheBootstrap) {
  const std::vector<double> values = Noise(4, 200, 0.1, 0.03);
  const RatioEstimate quick = EstimateRatioQuickly(values), slow = EstimateRatio(values, 0);
  EXPECT_DOUBLE_EQ(quick.ratio, slow.ratio);
  EXPECT_THAT(quick.RelativeWidth() / slow.RelativeWidth(), DoubleNear(1, 0.35));
}

TEST(Statistics, TheVerdictNeedsTheWholeIntervalBeyondTheSmallestEffect) {
  EXPECT_EQ(VerdictOf({1.05, 1.02, 1.08, 100}), Verdict::kFaster);
  EXPECT_EQ(VerdictOf({1.05, 1.005, 1.08, 100}), Verdict::kCannotTell);
  EXPECT_EQ(VerdictOf({0.95, 0.92, 0.98, 100}), Verdict::kSlower);
  EXPECT_EQ(VerdictOf({0.95, 0.92, 0.995, 100}), Verdict::kCannotTell);
  EXPECT_EQ(VerdictOf({1.05, 1.02, 1.08, kMinBlocks - 1}), Verdict::kCannotTell);
}

}  // namespace
}  // namespace cboard::benchmark
