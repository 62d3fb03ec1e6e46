// Creates histograms of samples for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cboard/analysis/value_distribution.h"

namespace cboard::analysis {

inline std::vector<double> Gaussian(std::size_t count, double sigma = 1, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, sigma);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

// Quantizes evenly to `codes` values in [low, high].
inline std::vector<double> Quantized(std::vector<double> values, double low, double high,
                                     int codes = 256) {
  const double step = (high - low) / (codes - 1);
  for (double& value : values) {
    value = low + std::round((std::clamp(value, low, high) - low) / step) * step;
  }
  return values;
}

inline std::vector<double> Quantized(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return Quantized(values, low, high);
}

// Counts in bins of equal width between min and max.
inline ValueDistribution Binned(const std::vector<double>& values, std::size_t bin_count = 1000) {
  const auto [low, high] = std::ranges::minmax(values);
  const double width = (high - low) / static_cast<double>(bin_count);
  std::vector<ValueBin> bins;
  for (std::size_t i = 0; i < bin_count; ++i) {
    bins.push_back({low + static_cast<double>(i) * width,
                    i + 1 == bin_count ? high : low + static_cast<double>(i + 1) * width, 0});
  }
  for (const double value : values) {
    const auto bin = width > 0 ? static_cast<std::size_t>((value - low) / width) : 0;
    ++bins[std::min(bin, bin_count - 1)].count;
  }
  const auto distribution = ValueDistribution::FromBins(bins);
  EXPECT_TRUE(distribution.has_value());
  return *distribution;
}

}  // namespace cboard::analysis
