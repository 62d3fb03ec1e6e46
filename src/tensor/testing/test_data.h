// Test values that are likely to reveal errors.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "cboard/tensor/histogram.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::testing {

// Returns every edge of TensorBoard's bins with its neighbours on both sides, and zeros,
// subnormals, the largest numbers, infinities and NaN.
template <typename Real>
std::vector<Real> EdgeCaseValues() {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> values;
  for (const double edge : tensor::TensorBoardBinEdges()) {
    const auto nearest = static_cast<Real>(edge);
    values.push_back(nearest);
    Real below = nearest, above = nearest;
    for (int i = 0; i < 2; ++i) {
      values.push_back(below = std::nextafter(below, -Limits::infinity()));
      values.push_back(above = std::nextafter(above, Limits::infinity()));
    }
  }
  for (const Real value : {Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity(),
                           Limits::epsilon(), Real{0}, Real{1}, Real{1e-30f}, Real{1e30f}}) {
    values.push_back(value);
    values.push_back(-value);
  }
  values.push_back(Limits::quiet_NaN());
  return values;
}

// Returns values with random bits.
template <typename Real>
std::vector<Real> RandomPatterns(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Real> values(count);
  for (Real& value : values) {
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof(value));
  }
  return values;
}

// Returns values of all magnitudes that TensorBoard's bins distinguish, and some beyond.
template <typename Real>
std::vector<Real> LogUniform(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-14, 22);
  std::vector<Real> values(count);
  for (Real& value : values) {
    value = static_cast<Real>(std::pow(10, exponent(random)) * (random() % 2 == 0 ? 1 : -1));
  }
  return values;
}

template <typename Real>
std::vector<Real> Normal(std::size_t count, unsigned seed, double mean = 0,
                         double deviation = 0.05) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(mean, deviation);
  std::vector<Real> values(count);
  for (Real& value : values) value = static_cast<Real>(normal(random));
  return values;
}

// Returns all 16-bit patterns, to be interpreted as `dtype`.
inline const std::vector<std::uint16_t>& All16BitPatterns() {
  static const std::vector<std::uint16_t> patterns = [] {
    std::vector<std::uint16_t> all(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    return all;
  }();
  return patterns;
}

}  // namespace cboard::testing
