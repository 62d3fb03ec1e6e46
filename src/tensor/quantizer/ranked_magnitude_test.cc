#include "cboard/tensor/ranked_magnitude.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "testing/every_instruction_set.h"

namespace cboard::tensor {
namespace {

// Finds the value by sorting all values.
float Sorted(std::vector<float> values, std::size_t rank) {
  for (float& value : values) {
    value = std::isnan(value) ? std::numeric_limits<float>::infinity() : std::abs(value);
  }
  std::ranges::sort(values);
  return values[rank];
}

void ExpectEveryRank(const std::vector<float>& values) {
  const std::size_t last = values.size() - 1;
  for (const std::size_t rank :
       {std::size_t{0}, std::size_t{1}, last / 100, last / 2, last - last / 1000, last - 1, last}) {
    const std::size_t there = std::min(rank, last);
    const float want = Sorted(values, there);
    testing::OnEveryInstructionSet([&] {
      EXPECT_EQ(RankedMagnitude(values, there), want) << there << " of " << values.size();
    });
  }
}

std::vector<float> Gaussian(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.05f);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

TEST(RankedMagnitude, IsWhatSortingFinds) {
  for (const std::size_t count : {1u, 2u, 100u, 256u, 257u, 1000u, 4096u, 4099u, 300'001u}) {
    ExpectEveryRank(Gaussian(count));
  }
}

TEST(RankedMagnitude, ValuesThatAreAlikeAreRankedAllTheSame) {
  ExpectEveryRank(std::vector<float>(5000));
  std::vector<float> few = Gaussian(20'000);
  for (float& value : few) value = std::round(value * 20) / 20;
  ExpectEveryRank(few);
  std::vector<float> two(10'000, 1);
  std::fill_n(two.begin(), 5000, -2.0f);
  ExpectEveryRank(two);
}

// Most sampled values differ from the rest, so brackets are wrong on either side.
TEST(RankedMagnitude, ASampleThatMisleadsCostsTimeOnly) {
  std::vector<float> values = Gaussian(100'000);
  std::ranges::sort(values);
  ExpectEveryRank(values);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = 100;
  ExpectEveryRank(values);
}

TEST(RankedMagnitude, NotANumberIsTheLargest) {
  std::vector<float> values = Gaussian(3000);
  for (std::size_t i = 0; i < values.size(); i += 7) {
    values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  values[1] = -std::numeric_limits<float>::infinity();
  ExpectEveryRank(values);
  ExpectEveryRank(std::vector<float>(1000, std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace
}  // namespace cboard::tensor
