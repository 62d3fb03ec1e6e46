#include "cboard/compression/stage_statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "testing/matchers.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::Succeeds;

TEST(OutputStatistics, GathersChannelsOverBatches) {
  OutputStatistics statistics;
  // Batch 2, channels 2, width 2.
  EXPECT_THAT(statistics.Add(TensorView(std::vector<float>{1, 2, 10, 20, 3, 4, 30, 40}, {2, 2, 2})),
              Succeeds());
  EXPECT_THAT(statistics.Add(TensorView(std::vector<float>{-1, 0, 0, 100}, {1, 2, 2})), Succeeds());
  ASSERT_EQ(statistics.channels().size(), 2u);
  EXPECT_EQ(statistics.channels()[0].min, -1);
  EXPECT_EQ(statistics.channels()[0].max, 4);
  EXPECT_EQ(statistics.channels()[0].sum, 9);
  EXPECT_EQ(statistics.channels()[1].max, 100);
  EXPECT_EQ(statistics.total().count, 12u);
}

TEST(OutputStatistics, TakesTheLastDimensionOfSmallTensors) {
  OutputStatistics statistics(1);
  EXPECT_THAT(statistics.Add(TensorView(std::vector<float>{1, 2, 3})), Succeeds());
  EXPECT_EQ(statistics.channels().size(), 3u);
}

TEST(OutputStatistics, CountsNonFiniteValuesAndGoesOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  OutputStatistics statistics;
  EXPECT_THAT(statistics.Add(TensorView(std::vector<float>{1, nan, -infinity, nan}, {1, 2, 2})),
              Succeeds());
  EXPECT_EQ(statistics.total().count - statistics.total().finite_count(), 3u);
  EXPECT_EQ(statistics.channels()[1].finite_count(), 0u);
  const auto histogram = statistics.Histogram();
  ASSERT_TRUE(histogram);
  EXPECT_EQ(histogram->num, 1);
  EXPECT_EQ(histogram->max, 1);
}

TEST(OutputStatistics, HasNoHistogramWithoutAFiniteValue) {
  OutputStatistics statistics;
  EXPECT_FALSE(statistics.Histogram());
  EXPECT_THAT(statistics.Add(TensorView(std::vector<float>{NAN, NAN}, {1, 2})), Succeeds());
  EXPECT_FALSE(statistics.Histogram());
}

TEST(OutputStatistics, RefusesAnotherNumberOfChannelsAndAddsNothing) {
  OutputStatistics statistics;
  EXPECT_THAT(statistics.Add(TensorView(std::vector<float>{1, 2}, {1, 2})), Succeeds());
  EXPECT_THAT(statistics.Add(TensorView(std::vector<float>{1, 2, 3}, {1, 3})),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "the output has 3 channels along axis 1, but earlier outputs had 2"));
  EXPECT_EQ(statistics.total().count, 2u);
  EXPECT_THAT(statistics.Add(TensorView(DType::kFloat32, &statistics, {})),
              FailsSaying(ErrorCode::kInvalidArgument, "the output is a single number"));
}

// Each value is in the bin that counts it, independent of the order.
TEST(OutputStatistics, HistogramsAreTheSameHoweverValuesAreDivided) {
  std::mt19937 random(7);
  for (const double scale : {1e-30, 1.0, 1e30}) {
    std::normal_distribution<double> normal(0.3 * scale, scale);
    std::vector<double> values(4000);
    for (double& value : values) value = normal(random);
    values[17] *= 50;
    OutputStatistics whole, parts;
    ASSERT_THAT(whole.Add(TensorView(values, {4000, 1})), Succeeds());
    for (std::size_t i = 0; i < values.size(); i += 100) {
      const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(i),
                                     values.begin() + static_cast<std::ptrdiff_t>(i) + 100);
      ASSERT_THAT(parts.Add(TensorView(part, {100, 1})), Succeeds());
    }
    const tensor::HistogramData a = *whole.Histogram(), b = *parts.Histogram();
    EXPECT_EQ(a.bucket_limits, b.bucket_limits);
    EXPECT_EQ(a.bucket_counts, b.bucket_counts);
    EXPECT_LE(a.bucket_counts.size(), static_cast<std::size_t>(GrowingHistogram::kMaxBins) + 1);
    EXPECT_GT(a.bucket_counts.size(), 500u) << "bins should be no wider than they must be";
    for (std::size_t i = 1; i < a.bucket_limits.size(); ++i) {
      const auto inside = std::ranges::count_if(values, [&](double value) {
        return value >= a.bucket_limits[i - 1] && value < a.bucket_limits[i];
      });
      ASSERT_EQ(a.bucket_counts[i], static_cast<double>(inside)) << i;
    }
  }
}

// The oracle counts between explicit edges, value by value, without a grid.
TEST(OutputStatistics, CountsWhatAHistogramWithTheSameEdgesCounts) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    std::normal_distribution<double> normal(round % 5 - 2, std::ldexp(1.0, round - 10));
    std::vector<float> values(3000);
    for (float& value : values) value = static_cast<float>(normal(random));
    for (int i = 0; i < round; ++i) values[random() % values.size()] = static_cast<float>(nan);
    OutputStatistics statistics;
    ASSERT_THAT(statistics.Add(TensorView(values, {30, 10, 10})), Succeeds());
    const tensor::HistogramData counted = *statistics.Histogram();
    const tensor::HistogramData judged =
        *tensor::ComputeHistogram(TensorView(values), tensor::BinEdges{counted.bucket_limits});
    std::vector<double> expected(counted.bucket_counts.size());
    for (std::size_t i = 0; i < judged.bucket_counts.size(); ++i) {
      const auto at = std::ranges::find(counted.bucket_limits, judged.bucket_limits[i]);
      expected[static_cast<std::size_t>(at - counted.bucket_limits.begin())] =
          judged.bucket_counts[i];
    }
    EXPECT_EQ(counted.bucket_counts, expected);
    const tensor::TensorStatistics all = *tensor::ComputeStatistics(TensorView(values));
    EXPECT_EQ(counted.min, all.min);
    EXPECT_EQ(counted.max, all.max);
    EXPECT_EQ(statistics.total().nan_count, all.nan_count);
    EXPECT_EQ(counted.num, static_cast<double>(all.finite_count()));
  }
}

TEST(OutputStatistics, HistogramsOfConstantsAndExtremesHoldEveryValue) {
  const double largest = std::numeric_limits<double>::max();
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{0, 0, 0},
                                        {5e-324, 0},
                                        {1e300, 1e300},
                                        {-largest / 2, largest / 2},
                                        {-1, 1e-300},
                                        {-1e-300, 1e300}}) {
    OutputStatistics statistics;
    ASSERT_THAT(statistics.Add(TensorView(values, {static_cast<std::int64_t>(values.size()), 1})),
                Succeeds());
    const auto histogram = statistics.Histogram();
    ASSERT_TRUE(histogram);
    EXPECT_EQ(
        std::accumulate(histogram->bucket_counts.begin(), histogram->bucket_counts.end(), 0.0),
        static_cast<double>(values.size()))
        << values.front();
  }
}

}  // namespace
}  // namespace cboard::compression
