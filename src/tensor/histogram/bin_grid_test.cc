#include "cboard/tensor/bin_grid.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "cboard/tensor/convert.h"
#include "testing/matchers.h"
#include "testing/special_values.h"

namespace cboard::tensor {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::kInfinity;
using ::cboard::testing::kNan;
using ::cboard::testing::Succeeds;
using ::testing::ElementsAre;

std::vector<double> Counted(const TensorView& tensor, const BinGrid& grid, std::size_t bins) {
  std::vector<double> counts(bins);
  EXPECT_THAT(CountInGrid(tensor, grid, counts), Succeeds());
  return counts;
}

// Compares each value with both edges of its bin, which are exact.
std::vector<double> Expected(const TensorView& tensor, const BinGrid& grid, std::size_t bins) {
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i) {
    edges.push_back(static_cast<double>(grid.first + static_cast<std::int64_t>(i)) *
                    std::ldexp(1.0, grid.exponent));
  }
  std::vector<double> counts(bins);
  const std::vector<double> values = ToDoubles(tensor).value();
  for (const double value : values) {
    if (!(value >= edges.front() && value < edges.back())) continue;
    ++counts[static_cast<std::size_t>(std::ranges::upper_bound(edges, value) - edges.begin()) - 1];
  }
  return counts;
}

TEST(CountInGrid, AddsToTheCountsOfBinsThatAreClosedOnTheLeft) {
  std::vector<double> counts = {10, 0, 0, 0};
  const std::vector<double> values = {-0.5, -0.25, -1e-300, -0.0, 0, 0.2499, 0.25, 0.5, -0.51};
  ASSERT_THAT(CountInGrid(values, {.exponent = -2, .first = -2}, counts), Succeeds());
  EXPECT_THAT(counts, ElementsAre(11, 2, 3, 1));
}

TEST(CountInGrid, PassesOverWhatIsInNoBin) {
  const std::vector<double> values = {kNan, kInfinity,   -kInfinity, 1e308, -1e308, 5,
                                      -7,   3.999999999, -5.000001,  4,     -5};
  EXPECT_THAT(Counted(values, {.exponent = 0, .first = -5}, 9),
              ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 1));
}

TEST(CountInGrid, CountsValuesOfAnyMagnitudeInTheBinsTheyBelongTo) {
  std::mt19937 random(5);
  for (const int exponent : {-1000, -300, -20, 0, 7, 100, 1000}) {
    for (const std::int64_t first : {-1000L, -3L, 0L, 5L}) {
      const BinGrid grid{.exponent = exponent, .first = first};
      std::uniform_real_distribution<double> uniform(static_cast<double>(first) - 5,
                                                     static_cast<double>(first) + 205);
      std::vector<double> values;
      for (int i = 0; i < 3000; ++i) {
        const double place = uniform(random);
        const double exact = std::ldexp(i % 3 == 0 ? std::floor(place) : place, exponent);
        values.push_back(i % 5 == 0   ? std::nextafter(exact, -kInfinity)
                         : i % 7 == 0 ? std::nextafter(exact, kInfinity)
                                      : exact);
      }
      EXPECT_EQ(Counted(values, grid, 200), Expected(values, grid, 200)) << exponent;
      for (const double value : values) {
        const double left = std::ldexp(static_cast<double>(grid.IndexOf(value)), exponent);
        ASSERT_TRUE(value >= left && value < left + grid.width()) << value;
      }
    }
  }
}

TEST(CountInGrid, TheSmallestNumbersAreOnTheRightSideOfZero) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_THAT(
      Counted(std::vector<double>{-tiny, tiny, 0, -1e-300}, {.exponent = 1000, .first = -1}, 2),
      ElementsAre(2, 2));
  EXPECT_EQ((BinGrid{.exponent = 1000}.IndexOf(-tiny)), -1);
}

TEST(CountInGrid, CountsEveryDtypeByItsRealValues) {
  std::mt19937 random(6);
  std::vector<float> floats(5000);
  std::vector<std::int8_t> codes(5000);
  std::vector<std::int64_t> longs(5000);
  std::normal_distribution<float> normal(0.1f, 2.0f);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = i % 100 == 0 ? std::numeric_limits<float>::quiet_NaN() : normal(random);
    codes[i] = static_cast<std::int8_t>(random());
    longs[i] = static_cast<std::int64_t>(random() % 40) - 20;
  }
  const std::vector<float> one_scale = {0.03f}, ten_scales(10, 0.02f);
  const std::vector<std::int32_t> one_zero_point = {3};
  TensorView per_tensor(codes), per_channel(codes, {500, 10});
  per_tensor.quantization = Quantization::PerTensor(one_scale, one_zero_point);
  per_channel.quantization = Quantization::PerChannel(ten_scales, {}, 1);
  const BinGrid grid{.exponent = -4, .first = -70};
  for (const TensorView& tensor :
       {TensorView(floats), TensorView(longs), TensorView(codes), per_tensor, per_channel}) {
    const std::vector<double> counts = Counted(tensor, grid, 140);
    EXPECT_EQ(counts, Expected(tensor, grid, 140)) << NameOf(tensor.dtype);
    EXPECT_GT(std::accumulate(counts.begin(), counts.end(), 0.0), 100);
  }
}

TEST(CountInGrid, RefusesGridsThatItCannotCountIn) {
  std::vector<double> counts(4);
  const std::vector<float> values = {1};
  for (const BinGrid& grid : {BinGrid{.exponent = -1001}, BinGrid{.exponent = 1024},
                              BinGrid{.first = BinGrid::kMaxIndex}}) {
    EXPECT_THAT(CountInGrid(values, grid, counts),
                FailsSaying(ErrorCode::kInvalidArgument, "the width must be"));
  }
  EXPECT_THAT(counts, ElementsAre(0, 0, 0, 0));
}

TEST(CountInGrid, AnEmptyTensorAndNoBinsCountNothing) {
  std::vector<double> counts(2), none;
  EXPECT_THAT(CountInGrid(std::vector<float>{}, {}, counts), Succeeds());
  EXPECT_THAT(CountInGrid(std::vector<float>{1}, {}, none), Succeeds());
  EXPECT_THAT(counts, ElementsAre(0, 0));
}

}  // namespace
}  // namespace cboard::tensor
