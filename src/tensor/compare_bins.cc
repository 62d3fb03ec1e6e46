#include "tensor/compare_bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>

namespace cboard {
namespace {

constexpr std::size_t kBatch = 512;

// The bin of each value, or -1 for one that is not finite. As quantizers do: divide, round half to
// even, add the zero point, saturate.
template <std::floating_point Real>
void FindBins(std::span<const Real> values, const Steps& steps, std::int32_t code_min,
              std::int32_t code_max, std::span<std::int32_t> bins) {
  const double first = code_min - steps.zero_point, last = code_max - steps.zero_point;
  // Adding and subtracting 1.5 * 2^52 rounds to an integer, without a call per value.
  constexpr double kRounder = 6755399441055744.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = static_cast<double>(values[i]);
    const double step = std::min(std::max(value / steps.scale, first), last);
    const auto bin = static_cast<std::int32_t>((step + kRounder) - kRounder - first);
    bins[i] = std::abs(value) <= std::numeric_limits<double>::max() ? bin : -1;
  }
}

template <std::integral Code>
void FindBins(std::span<const Code> codes, const Steps& /*steps*/, std::int32_t code_min,
              std::int32_t code_max, std::span<std::int32_t> bins) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    bins[i] = std::clamp<std::int32_t>(codes[i], code_min, code_max) - code_min;
  }
}

}  // namespace

StepBins::StepBins(std::int32_t code_min, std::int32_t code_max)
    : code_min_(code_min),
      code_max_(code_max),
      reference_(static_cast<std::size_t>(code_max - code_min) + 1),
      compressed_(reference_.size()) {}

template <typename Real, typename Other>
void StepBins::AddPairs(std::span<const Real> reference, std::span<const Other> compressed,
                        const Steps& steps) {
  std::array<std::int32_t, kBatch> x_bins, y_bins;
  while (!reference.empty()) {
    const std::size_t size = std::min(reference.size(), kBatch);
    FindBins(reference.first(size), steps, code_min_, code_max_, x_bins);
    FindBins(compressed.first(size), steps, code_min_, code_max_, y_bins);
    for (std::size_t i = 0; i < size; ++i) {
      if ((x_bins[i] | y_bins[i]) < 0) continue;
      ++reference_[static_cast<std::size_t>(x_bins[i])];
      ++compressed_[static_cast<std::size_t>(y_bins[i])];
    }
    reference = reference.subspan(size);
    compressed = compressed.subspan(size);
  }
}

void StepBins::Add(std::span<const float> reference, std::span<const std::int8_t> codes,
                   const Steps& steps) {
  AddPairs(reference, codes, steps);
}

void StepBins::Add(std::span<const float> reference, std::span<const std::uint8_t> codes,
                   const Steps& steps) {
  AddPairs(reference, codes, steps);
}

void StepBins::Add(std::span<const float> reference, std::span<const float> compressed,
                   const Steps& steps) {
  AddPairs(reference, compressed, steps);
}

void StepBins::Add(std::span<const double> reference, std::span<const double> compressed,
                   const Steps& steps) {
  AddPairs(reference, compressed, steps);
}

void StepBins::Merge(const StepBins& other) {
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    reference_[i] += other.reference_[i];
    compressed_[i] += other.compressed_[i];
  }
}

std::optional<double> StepBins::Divergence() const {
  std::uint64_t count = 0;
  for (const std::uint64_t in_bin : reference_) count += in_bin;
  if (count == 0) return std::nullopt;
  // Both sides have the same count, so the totals cancel out.
  double sum = 0;
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    const double p = static_cast<double>(reference_[i]) + 0.5;
    const double q = static_cast<double>(compressed_[i]) + 0.5;
    sum += p * std::log(p / q);
  }
  // Never below zero, but for rounding.
  return std::max(
      0.0, sum / (static_cast<double>(count) + 0.5 * static_cast<double>(reference_.size())));
}

int StepBins::used_codes() const {
  return static_cast<int>(
      std::ranges::count_if(compressed_, [](std::uint64_t count) { return count > 0; }));
}

}  // namespace cboard
