// Values and their codes, for tests of comparisons.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cboard/tensor/compare.h"
#include "testing/matchers.h"

namespace cboard::testing {

inline std::vector<float> Normal(std::size_t count, float sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, sigma);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

template <typename Code>
std::vector<Code> Quantize(const std::vector<float>& values, float scale, int zero_point) {
  std::vector<Code> codes;
  for (const float value : values) {
    const float code = std::nearbyint(value / scale) + static_cast<float>(zero_point);
    codes.push_back(
        static_cast<Code>(std::clamp(code, static_cast<float>(std::numeric_limits<Code>::min()),
                                     static_cast<float>(std::numeric_limits<Code>::max()))));
  }
  return codes;
}

inline tensor::Comparison CompareOrDie(const TensorView& reference, const TensorView& compressed,
                                       const tensor::ComparisonOptions& options = {}) {
  auto comparison = Compare(reference, compressed, options);
  EXPECT_THAT(comparison, Succeeds());
  return comparison ? *std::move(comparison) : tensor::Comparison();
}

}  // namespace cboard::testing
