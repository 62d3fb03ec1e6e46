#include "cboard/benchmark/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace cboard::benchmark {
namespace {

constexpr double kTrimmedShare = 0.2;
constexpr std::size_t kResamples = 2000;

std::size_t TrimmedCount(std::size_t count) {
  return static_cast<std::size_t>(kTrimmedShare * static_cast<double>(count));
}

// Returns the trimmed mean. Changes the order of `values`.
double TrimmedMean(std::span<double> values) {
  const std::size_t trimmed = TrimmedCount(values.size());
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(trimmed);
  const auto end = values.end() - static_cast<std::ptrdiff_t>(trimmed);
  if (trimmed > 0) {
    std::nth_element(values.begin(), begin, values.end());
    std::nth_element(begin, end - 1, values.end());
  }
  double sum = 0;
  for (auto value = begin; value != end; ++value) sum += *value;
  return sum / static_cast<double>(end - begin);
}

std::vector<double> FiniteOnes(std::span<const double> values) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite),
                       [](double value) { return std::isfinite(value); });
  return finite;
}

// Returns P(X <= 1) for a binomial distribution of `count` trials.
double AtMostOne(std::size_t count, double share) {
  const auto n = static_cast<double>(count);
  return std::pow(1 - share, n) + n * share * std::pow(1 - share, n - 1);
}

}  // namespace

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double QuantileOf(std::span<const double> ascending, double share) {
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto before = static_cast<std::size_t>(place);
  const std::size_t after = std::min(before + 1, ascending.size() - 1);
  return std::lerp(ascending[before], ascending[after], place - std::floor(place));
}

std::size_t MinSampleCount(double share) {
  constexpr double kDoubt = 0.01;
  std::size_t count = 2;
  while (AtMostOne(count, 1 - share) > kDoubt) ++count;
  return count;
}

std::optional<double> PercentileOf(std::span<const double> ascending, double share) {
  if (ascending.size() < MinSampleCount(share)) return std::nullopt;
  return QuantileOf(ascending, share);
}

RatioEstimate EstimateRatio(std::span<const double> log_ratios, std::uint64_t seed) {
  const std::vector<double> values = FiniteOnes(log_ratios);
  const std::size_t count = values.size();
  if (count == 0) return {};
  std::vector<double> drawn = values;
  const double center = TrimmedMean(drawn);
  // Length of the blocks in a block bootstrap: long enough to contain dependent neighbours, short
  // enough to have many blocks.
  const auto length = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
  std::mt19937_64 random(seed);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    for (std::size_t i = 0; i < count;) {
      const std::size_t start = random() % count;
      for (std::size_t k = 0; k < length && i < count; ++k) {
        drawn[i++] = values[(start + k) % count];
      }
    }
    mean = TrimmedMean(drawn);
  }
  std::ranges::sort(means);
  return {.ratio = std::exp(center),
          .low = std::exp(QuantileOf(means, 0.025)),
          .high = std::exp(QuantileOf(means, 0.975)),
          .block_count = count};
}

RatioEstimate EstimateRatioQuickly(std::span<const double> log_ratios) {
  std::vector<double> values = FiniteOnes(log_ratios);
  const std::size_t count = values.size();
  if (count < 3) return {};
  std::ranges::sort(values);
  const std::size_t trimmed = TrimmedCount(count);
  const double low = values[trimmed], high = values[count - 1 - trimmed];
  double sum = 0, winsorized_sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::clamp(values[i], low, high);
    winsorized_sum += value;
    squares += value * value;
    if (i >= trimmed && i + trimmed < count) sum += values[i];
  }
  const auto n = static_cast<double>(count);
  const double center = sum / static_cast<double>(count - 2 * trimmed);
  const double mean = winsorized_sum / n;
  const double variance = std::max(0.0, (squares - n * mean * mean) / (n - 1));
  const double half = 1.96 * std::sqrt(variance) / ((1 - 2 * kTrimmedShare) * std::sqrt(n));
  return {.ratio = std::exp(center),
          .low = std::exp(center - half),
          .high = std::exp(center + half),
          .block_count = count};
}

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kCannotTell:
      break;
  }
  return "cannot tell";
}

Verdict VerdictOf(const RatioEstimate& speedup, double min_effect) {
  if (speedup.block_count < kMinBlocks) return Verdict::kCannotTell;
  if (speedup.low > 1 + min_effect) return Verdict::kFaster;
  if (speedup.high < 1 - min_effect) return Verdict::kSlower;
  return Verdict::kCannotTell;
}

}  // namespace cboard::benchmark
