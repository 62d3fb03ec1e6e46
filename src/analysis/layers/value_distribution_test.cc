#include "cboard/analysis/value_distribution.h"

#include <gtest/gtest.h>

#include <limits>

#include "analysis/testing/sample_histogram.h"
#include "testing/matchers.h"

namespace cboard::analysis {
namespace {

using testing::FailsSaying;

ValueDistribution Of(const std::vector<ValueBin>& bins) {
  return *ValueDistribution::FromBins(bins);
}

TEST(ValueDistribution, HasTheMomentsOfItsPieces) {
  const ValueDistribution uniform = Of({{0, 1, 5}, {1, 2, 5}});
  EXPECT_DOUBLE_EQ(uniform.mean(), 1);
  EXPECT_DOUBLE_EQ(uniform.deviation(), std::sqrt(4.0 / 12));
  EXPECT_DOUBLE_EQ(uniform.root_mean_square(), std::sqrt(4.0 / 3));
  EXPECT_DOUBLE_EQ(uniform.ShareBelow(0.5), 0.25);
  EXPECT_DOUBLE_EQ(uniform.ShareBelow(-1), 0);
  EXPECT_DOUBLE_EQ(uniform.ShareBelow(9), 1);
  EXPECT_DOUBLE_EQ(uniform.Quantile(0.75), 1.5);
  EXPECT_DOUBLE_EQ(uniform.Quantile(0), 0);
  EXPECT_DOUBLE_EQ(uniform.Quantile(1), 2);
}

TEST(ValueDistribution, HoldsValuesThatAreAllEqual) {
  const ValueDistribution point = Of({{3, 3, 2}});
  EXPECT_EQ(point.mean(), 3);
  EXPECT_EQ(point.deviation(), 0);
  EXPECT_EQ(point.ShareBelow(3), 1);
  EXPECT_EQ(point.ShareBelow(2.9), 0);
  EXPECT_EQ(point.Quantile(0.5), 3);
}

TEST(ValueDistribution, RefusesWhatIsNoHistogram) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto fails = [](const std::vector<ValueBin>& bins, const char* saying) {
    EXPECT_THAT(ValueDistribution::FromBins(bins),
                FailsSaying(ErrorCode::kInvalidArgument, saying));
  };
  fails({}, "contains no values");
  fails({{0, 1, 0}}, "contains no values");
  fails({{1, 0, 1}}, "lower edge above its upper edge");
  fails({{0, 2, 1}, {1, 3, 1}}, "overlaps");
  fails({{0, nan, 1}}, "finite");
  fails({{0, 1, -1}}, "count");
  fails({{0, 1, nan}}, "count");
  fails({{0, 1, 1e308}, {1, 2, 1e308}}, "too large for float64");
}

TEST(ValueDistribution, ClampsOntoTheLimits) {
  const ValueDistribution clamped = Of({{0, 4, 4}}).Clamped(1, 3);
  EXPECT_EQ(clamped.min(), 1);
  EXPECT_EQ(clamped.max(), 3);
  EXPECT_DOUBLE_EQ(clamped.ShareBelow(1), 0.25);
  EXPECT_DOUBLE_EQ(clamped.ShareBelow(2.999999999), 0.75 - 0.25e-9);
  EXPECT_DOUBLE_EQ(clamped.mean(), 2);
  // Tests limits beyond all values, and values beyond all limits.
  EXPECT_DOUBLE_EQ(Of({{0, 4, 4}}).Clamped(-9, 9).mean(), 2);
  EXPECT_DOUBLE_EQ(Of({{0, 4, 4}}).Clamped(5, 9).mean(), 5);
  EXPECT_DOUBLE_EQ(Of({{0, 4, 4}}).Clamped(-9, -5).mean(), -5);
}

TEST(ValueDistribution, RoundsToCodes) {
  const ValueDistribution rounded = Of({{0, 4, 4}}).Rounded(0, 4, 5);
  EXPECT_DOUBLE_EQ(rounded.ShareBelow(0), 0.125);
  EXPECT_DOUBLE_EQ(rounded.ShareBelow(1), 0.375);
  EXPECT_DOUBLE_EQ(rounded.ShareBelow(3.5), 0.875);
}

TEST(Wasserstein, IsTheShiftOfAShiftedDistribution) {
  const ValueDistribution a = Binned(Gaussian(10'000));
  EXPECT_NEAR(Wasserstein1(a, a.Scaled(1, 0.5)), 0.5, 1e-12);
  EXPECT_NEAR(Wasserstein2(a, a.Scaled(1, -0.5)), 0.5, 1e-12);
  EXPECT_EQ(Wasserstein1(a, a), 0);
}

TEST(Wasserstein, CrossesZeroInsideAPiece) {
  // For the quantiles u and 1/2, |u - 1/2| is 1/4 on average, and its square is 1/12.
  EXPECT_DOUBLE_EQ(Wasserstein1(Of({{0, 1, 1}}), Of({{0.5, 0.5, 1}})), 0.25);
  EXPECT_DOUBLE_EQ(Wasserstein2(Of({{0, 1, 1}}), Of({{0.5, 0.5, 1}})), std::sqrt(1.0 / 12));
}

// Compares with the definition for samples: sort both and take the mean difference.
TEST(Wasserstein, AgreesWithSortedSamples) {
  std::vector<double> a = Gaussian(20'000, 1, 1);
  std::vector<double> b = Gaussian(20'000, 1.7, 2);
  const ValueDistribution binned_a = Binned(a), binned_b = Binned(b, 333);
  std::ranges::sort(a);
  std::ranges::sort(b);
  double w1 = 0, w2 = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    w1 += std::abs(a[i] - b[i]) / 20'000;
    w2 += (a[i] - b[i]) * (a[i] - b[i]) / 20'000;
  }
  EXPECT_NEAR(Wasserstein1(binned_a, binned_b), w1, 0.01 * w1);
  EXPECT_NEAR(Wasserstein2(binned_a, binned_b), std::sqrt(w2), 0.01 * std::sqrt(w2));
  EXPECT_DOUBLE_EQ(Wasserstein1(binned_a, binned_b), Wasserstein1(binned_b, binned_a));
}

}  // namespace
}  // namespace cboard::analysis
