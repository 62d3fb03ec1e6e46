// Statistics of repeated measurements: medians, percentiles that have enough samples, and the ratio
// of two variants with its interval and verdict.
//
//   const RatioEstimate speedup = EstimateRatio(log_ratios, /*seed=*/0);
//   VerdictOf(speedup, kDefaultMinEffect);  // Verdict::kFaster
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cboard::benchmark {

// `values` must not be empty.
double Median(std::vector<double> values);

// The quantile `share` (0…1) of ascending values, interpolated; of one value or more.
double QuantileOf(std::span<const double> ascending, double share);

// The number of samples that a percentile needs, by the rule of MLPerf LoadGen: with 99 %
// confidence, at least two samples are beyond the percentile. 64 for 0.9 and 662 for 0.99.
std::size_t MinSampleCount(double share);

// The quantile, or nothing with fewer than MinSampleCount(share) values.
std::optional<double> PercentileOf(std::span<const double> ascending, double share);

// A ratio of two variants, with its 95 % interval.
struct RatioEstimate {
  double ratio = 0;
  double low = 0;
  double high = 0;
  std::size_t block_count = 0;

  // (high - low) / ratio.
  double RelativeWidth() const { return ratio > 0 ? (high - low) / ratio : 0; }
};

// The estimate from one logarithm of a ratio per block. The ratio is the exponential of their mean
// without the lowest and the highest 20 %: a few disturbed blocks do not move it. The interval is a
// circular block bootstrap: neighbors are drawn together, because disturbances last longer than a
// block. Non-finite values are ignored. The same values and seed give the same interval.
RatioEstimate EstimateRatio(std::span<const double> log_ratios, std::uint64_t seed);

// An approximation of EstimateRatio that takes microseconds, to decide whether more blocks are
// needed: the interval of a trimmed mean from its winsorized variance.
RatioEstimate EstimateRatioQuickly(std::span<const double> log_ratios);

enum class Verdict { kCannotTell, kFaster, kSlower };

// "cannot tell", "faster", "slower".
std::string_view NameOf(Verdict verdict);

// Below this number of blocks there is no verdict.
inline constexpr std::size_t kMinBlocks = 20;

// Differences below 1 % are no difference: two copies of one model differ by that much, because
// their memory lies at other addresses.
inline constexpr double kDefaultMinEffect = 0.01;

// Faster if the whole interval of `speedup` is above 1 + min_effect, slower if it is below
// 1 - min_effect.
Verdict VerdictOf(const RatioEstimate& speedup, double min_effect = kDefaultMinEffect);

}  // namespace cboard::benchmark
