#include "reader/query/downsample.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "reader/query/value_range.h"
#include "testing/special_values.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::kInfinity;
using ::cboard::testing::kNan;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSubsetOf;

std::vector<double> Counting(std::size_t n) {
  std::vector<double> xs(n);
  std::iota(xs.begin(), xs.end(), 0.0);
  return xs;
}

TEST(SampleExtremes, KeepsEveryPointWhenThereAreFew) {
  const std::vector<double> xs = {1, 2, 3}, ys = {5, kNan, 4};
  EXPECT_THAT(SampleExtremes(xs, ys, ys, 3), ElementsAre(0, 1, 2));
  EXPECT_TRUE(SampleExtremes({}, {}, {}, 3).empty());
}

TEST(SampleExtremes, KeepsFirstLastLeastAndGreatestOfEachStretch) {
  const std::vector<double> xs = Counting(20);
  std::vector<double> ys(20, 1.0);
  ys[3] = 9, ys[7] = -9, ys[12] = 7, ys[13] = -7;
  EXPECT_THAT(SampleExtremes(xs, ys, ys, 8), ElementsAre(0, 3, 7, 9, 10, 12, 13, 19));
}

TEST(SampleExtremes, KeepsOneOfEachKindThatCannotBeDrawnAndTheFiniteExtremesBesideThem) {
  const std::vector<double> xs = Counting(50);
  std::vector<double> ys(50, 1.0);
  ys[5] = kNan, ys[6] = kNan, ys[10] = kInfinity, ys[11] = -kInfinity, ys[20] = 100, ys[21] = -100;
  EXPECT_THAT(SampleExtremes(xs, ys, ys, 4), ElementsAre(0, 5, 10, 11, 20, 21, 49));
}

TEST(SampleExtremes, CutsByWidthOfTheAxisNotByNumberOfPoints) {
  // 96 points crowd at the left; the four at the right are spread over most of the axis.
  std::vector<double> xs;
  for (int i = 0; i < 96; ++i) xs.push_back(i * 0.001);
  xs.insert(xs.end(), {10, 20, 30, 40});
  const std::vector<double> ys(100, 2.0);
  const auto kept = SampleExtremes(xs, ys, ys, 16);
  for (std::size_t lone = 96; lone < 100; ++lone) EXPECT_THAT(kept, Contains(lone));
}

TEST(SampleExtremes, CutsByNumberWhereTheAxisGoesBack) {
  const std::vector<double> xs = {0, 1, 2, 3, 0, 1, 2, 3, 4, kNan};
  std::vector<double> ys(10, 0.0);
  ys[2] = 5;
  EXPECT_THAT(SampleExtremes(xs, ys, ys, 8), ElementsAre(0, 2, 4, 5, 9));
}

TEST(SampleExtremes, NeverHidesTheExtremesOfLowsAndHighs) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 10 + random() % 5000;
    std::vector<double> xs(n), lows(n), highs(n);
    double x = 0;
    for (std::size_t i = 0; i < n; ++i) {
      xs[i] = x += std::abs(normal(random));
      lows[i] = normal(random);
      highs[i] = lows[i] + std::abs(normal(random));
    }
    const std::size_t max_points = 4 + random() % 500;
    const auto kept = SampleExtremes(xs, lows, highs, max_points);
    EXPECT_LE(kept.size(), std::max(n <= max_points ? n : 0, max_points));
    EXPECT_TRUE(std::ranges::is_sorted(kept));
    EXPECT_EQ(std::set<std::size_t>(kept.begin(), kept.end()).size(), kept.size());
    const auto least = static_cast<std::size_t>(std::ranges::min_element(lows) - lows.begin());
    const auto greatest = static_cast<std::size_t>(std::ranges::max_element(highs) - highs.begin());
    EXPECT_THAT((std::vector<std::size_t>{0, least, greatest, n - 1}), IsSubsetOf(kept));
  }
}

TEST(RangeOf, AgreesWithOneByOneComparisonForAnyLengthAndContent) {
  std::mt19937_64 random(3);
  const double odd[] = {kNan, kInfinity, -kInfinity, 0.0, -0.0, 1e308, -1e308, 5e-324};
  for (int round = 0; round < 500; ++round) {
    std::vector<double> values(random() % 70);
    const bool with_odd = random() % 2 == 0;
    for (double& value : values) {
      value = with_odd && random() % 4 == 0 ? odd[random() % 8]
                                            : static_cast<double>(random() % 1000) - 500;
    }
    std::vector<double> finite;
    std::ranges::copy_if(values, std::back_inserter(finite),
                         [](double value) { return std::isfinite(value); });
    const ValueRange range = RangeOf(values);
    EXPECT_EQ(range.all_finite, finite.size() == values.size());
    if (finite.empty()) {
      EXPECT_GT(range.least, range.greatest);
    } else {
      EXPECT_EQ(range.least, *std::ranges::min_element(finite));
      EXPECT_EQ(range.greatest, *std::ranges::max_element(finite));
      EXPECT_EQ(static_cast<std::ptrdiff_t>(PositionOf(range.least, values)),
                std::ranges::find(values, range.least) - values.begin());
    }
  }
}

}  // namespace
}  // namespace cboard::reader
