#include "tensor/compare/compare_bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>

namespace cboard::tensor {
namespace {

constexpr std::size_t kBatchRows = 64;

template <std::floating_point Real>
void FindBins(const Real* values, std::size_t stride, std::size_t rows, const LaneSteps& steps,
              std::int32_t code_min, std::int32_t code_max, std::int32_t* bins) {
  CodesOfLanes(values, stride, rows, steps, code_min, code_max, bins);
}

template <std::integral Code>
void FindBins(const Code* codes, std::size_t stride, std::size_t rows, const LaneSteps& /*steps*/,
              std::int32_t code_min, std::int32_t code_max, std::int32_t* bins) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t lane = 0; lane < kLaneGroup; ++lane) {
      bins[row * kLaneGroup + lane] =
          std::clamp<std::int32_t>(codes[row * stride + lane], code_min, code_max) - code_min;
    }
  }
}

}  // namespace

StepBins::StepBins(std::int32_t code_min, std::int32_t code_max)
    : code_min_(code_min),
      code_max_(code_max),
      reference_(static_cast<std::size_t>(code_max - code_min) + 1),
      compressed_(reference_.size()) {}

void StepBins::Count(std::span<const std::int32_t> reference,
                     std::span<const std::int32_t> compressed) {
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if ((reference[i] | compressed[i]) < 0) continue;
    ++reference_[static_cast<std::size_t>(reference[i])];
    ++compressed_[static_cast<std::size_t>(compressed[i])];
  }
}

template <typename Real, typename Other>
void StepBins::AddLanes(const Real* reference, const Other* compressed, std::size_t stride,
                        std::size_t rows, std::size_t lanes, const LaneSteps& steps) {
  std::array<std::int32_t, kBatchRows * kLaneGroup> x_bins, y_bins;
  while (rows > 0) {
    const std::size_t some = std::min(rows, kBatchRows);
    FindBins(reference, stride, some, steps, code_min_, code_max_, x_bins.data());
    FindBins(compressed, stride, some, steps, code_min_, code_max_, y_bins.data());
    for (std::size_t row = 0; row < some && lanes < kLaneGroup; ++row) {
      std::fill_n(x_bins.begin() + row * kLaneGroup + lanes, kLaneGroup - lanes, -1);
    }
    Count(std::span(x_bins).first(some * kLaneGroup), std::span(y_bins).first(some * kLaneGroup));
    reference += some * stride;
    compressed += some * stride;
    rows -= some;
  }
}

template <typename Real, typename Other>
void StepBins::Add(std::span<const Real> reference, std::span<const Other> compressed,
                   const Steps& steps) {
  LaneSteps all;
  all.scale.fill(steps.scale);
  all.zero_point.fill(static_cast<double>(steps.zero_point));
  const std::size_t rows = reference.size() / kLaneGroup, rest = reference.size() % kLaneGroup;
  AddLanes(reference.data(), compressed.data(), kLaneGroup, rows, kLaneGroup, all);
  if (rest == 0) return;
  std::array<Real, kLaneGroup> x{};
  std::array<Other, kLaneGroup> y{};
  std::ranges::copy(reference.last(rest), x.begin());
  std::ranges::copy(compressed.last(rest), y.begin());
  AddLanes(x.data(), y.data(), kLaneGroup, 1, rest, all);
}

#define CBOARD_INSTANTIATE(Real, Other)                                                     \
  template void StepBins::Add(std::span<const Real>, std::span<const Other>, const Steps&); \
  template void StepBins::AddLanes(const Real*, const Other*, std::size_t, std::size_t,     \
                                   std::size_t, const LaneSteps&);
CBOARD_INSTANTIATE(float, std::int8_t)
CBOARD_INSTANTIATE(float, std::uint8_t)
CBOARD_INSTANTIATE(float, float)
CBOARD_INSTANTIATE(double, double)
#undef CBOARD_INSTANTIATE

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
  // The baseline and the compressed values have the same total count, so the totals cancel out in
  // the divergence.
  double sum = 0;
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    const double p = static_cast<double>(reference_[i]) + 0.5;
    const double q = static_cast<double>(compressed_[i]) + 0.5;
    sum += p * std::log(p / q);
  }
  // The divergence cannot be negative, except by rounding errors.
  return std::max(
      0.0, sum / (static_cast<double>(count) + 0.5 * static_cast<double>(reference_.size())));
}

int StepBins::used_codes() const {
  return static_cast<int>(
      std::ranges::count_if(compressed_, [](std::uint64_t count) { return count > 0; }));
}

}  // namespace cboard::tensor
