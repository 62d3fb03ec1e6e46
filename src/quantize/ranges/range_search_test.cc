#include "quantize/ranges/range_search.h"

#include <gmock/gmock.h>

#include <cmath>

#include "quantize/calibration/calibrate.h"
#include "quantize/testing/test_models.h"
#include "testing/matchers.h"

namespace cboard::quantize {
namespace {

TensorStatistics StatisticsOf(const std::vector<float>& values) {
  TensorStatistics statistics;
  EXPECT_THAT(AddTensor(TensorView(values), false, statistics), testing::Succeeds());
  return statistics;
}

// The oracle, which quantizes every value.
double ErrorOf(const std::vector<float>& values, const Range& range) {
  const double step = (range.high - range.low) / 255;
  const double zero = std::nearbyint(-range.low / step);
  double error = 0;
  for (const float value : values) {
    const double code = std::clamp(std::nearbyint(value / step) + zero, 0.0, 255.0);
    error += std::pow((code - zero) * step - value, 2);
  }
  return error / static_cast<double>(values.size());
}

TEST(FindRange, CoversAllValuesByMinMax) {
  const auto statistics = StatisticsOf({0.5f, 2, 3});
  const Range range = FindRange(statistics, RangeMethod::kMinMax, {});
  EXPECT_EQ(range.low, 0) << "zero must be exact";
  EXPECT_EQ(range.high, 3);
}

TEST(FindRange, ClipsAnOutlierByMse) {
  std::vector<float> values = NormalValues(200000, 3, 1.0f);
  values.push_back(12);
  const auto statistics = StatisticsOf(values);
  const Range mse = FindRange(statistics, RangeMethod::kMse, {}),
              widest = FindRange(statistics, RangeMethod::kMinMax, {});
  EXPECT_LT(mse.high, 11);
  EXPECT_LT(ErrorOf(values, mse), ErrorOf(values, widest));
}

TEST(FindRange, LeavesTheShareOfAPercentileOutside) {
  const auto statistics = StatisticsOf(NormalValues(100000, 4, 1.0f));
  const Range range = FindRange(statistics, RangeMethod::kPercentile, {.percentile = 99});
  EXPECT_NEAR(range.low, -2.576, 0.1);
  EXPECT_NEAR(range.high, 2.576, 0.1);
}

TEST(FindRange, MakesTheRangeSymmetricIfAsked) {
  const auto statistics = StatisticsOf({-1, 4});
  const Range range = FindRange(statistics, RangeMethod::kMinMax, {.is_symmetric = true});
  EXPECT_EQ(range.low, -range.high);
}

TEST(FindRange, NarrowsTheRangeByEntropy) {
  std::vector<float> values = NormalValues(50000, 5, 1.0f);
  values.push_back(200);
  const Range range = FindRange(StatisticsOf(values), RangeMethod::kEntropy, {});
  EXPECT_LT(range.high, 150);
  EXPECT_GT(range.high, 2);
}

TEST(RangeCost, PredictsTheErrorOfRounding) {
  const std::vector<float> values = NormalValues(100000, 6, 1.0f);
  const RangeCost cost(StatisticsOf(values));
  for (const Range& range : {Range{-5, 5}, Range{-2, 3}, Range{-1, 1}}) {
    EXPECT_NEAR(cost.MeanSquaredError(range, 8) / ErrorOf(values, range), 1, 0.05);
  }
}

}  // namespace
}  // namespace cboard::quantize
