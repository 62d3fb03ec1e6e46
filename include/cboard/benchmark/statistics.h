// Statistics of repeated measurements: medians, percentiles with enough samples, and the ratio of
// two variants with its interval and verdict.
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

// Returns the median. `values` must not be empty.
double Median(std::vector<double> values);

// Returns the quantile `share` (0…1) of values in ascending order, interpolated. `ascending` must
// not be empty.
double QuantileOf(std::span<const double> ascending, double share);

// The number of samples that a percentile needs, by the rule of MLPerf LoadGen: at least two
// samples are beyond the percentile with 99 % confidence. 64 for 0.9 and 662 for 0.99.
std::size_t MinSampleCount(double share);

// Returns the quantile, or nullopt if there are fewer than MinSampleCount(share) values.
std::optional<double> PercentileOf(std::span<const double> ascending, double share);

// The ratio of two variants, with its 95 % interval.
struct RatioEstimate {
  double ratio = 0;
  double low = 0;
  double high = 0;
  std::size_t block_count = 0;

  // Width of the 95 % interval, relative to the ratio: (high - low) / ratio.
  double RelativeWidth() const { return ratio > 0 ? (high - low) / ratio : 0; }
};

// Estimates a ratio from the logarithm of the ratio in each block. The result is the exponential of
// the trimmed mean: the lowest and the highest 20 % of the logarithms are left out, so a few
// disturbed blocks do not change it. The interval comes from a circular block bootstrap: it
// resamples neighboring blocks together, because a disturbance lasts longer than a block.
// Non-finite values are ignored. The same values and seed give the same interval.
RatioEstimate EstimateRatio(std::span<const double> log_ratios, std::uint64_t seed);

// Approximates EstimateRatio in microseconds, to decide whether more blocks are needed. The
// interval is that of a trimmed mean, computed from the winsorized variance.
RatioEstimate EstimateRatioQuickly(std::span<const double> log_ratios);

enum class Verdict { kCannotTell, kFaster, kSlower };

// The name of a verdict: "cannot tell", "faster", "slower".
std::string_view NameOf(Verdict verdict);

// Minimum number of blocks for a verdict.
inline constexpr std::size_t kMinBlocks = 20;

// Smallest relative difference that gives a verdict: 1 %. Two copies of one model differ by up to 1
// %, because their memory has different addresses.
inline constexpr double kDefaultMinEffect = 0.01;

// Returns "faster" if the whole interval of `speedup` is above 1 + min_effect, "slower" if it is
// below 1 - min_effect, otherwise "cannot tell".
Verdict VerdictOf(const RatioEstimate& speedup, double min_effect = kDefaultMinEffect);

}  // namespace cboard::benchmark
