#include "compare/diagnosis/residuals.h"

#include <algorithm>
#include <array>
#include <limits>

namespace cboard::compare {
namespace {

double Square(double x) { return x * x; }

}  // namespace

double MeanOf(const tensor::TensorStatistics& side) {
  return side.sum / static_cast<double>(side.finite_count());
}

double VarianceOf(const tensor::TensorStatistics& side) {
  return std::max(
      0.0, side.sum_squares / static_cast<double>(side.finite_count()) - Square(MeanOf(side)));
}

double RangeOf(const tensor::TensorStatistics& side) {
  return std::max(std::abs(side.min), std::abs(side.max));
}

double ShiftOf(const tensor::PairStatistics& pairs) {
  return MeanOf(pairs.compressed) - MeanOf(pairs.reference);
}

bool IsDead(const tensor::PairStatistics& channel, std::optional<double> step) {
  if (channel.finite_count() == 0 || channel.reference.sum_squares == 0) return false;
  // The channel is not dead: its scale is too large, so all of its values are rounded to zero.
  if (step && RangeOf(channel.reference) < *step) return false;
  // If all values have the same sign, clipping can give all of them the last code.
  const bool is_one_sided = channel.reference.min >= 0 || channel.reference.max <= 0;
  if (is_one_sided && channel.ClipRate().value_or(0) >= 0.5) return false;
  return VarianceOf(channel.compressed) <= 1e-6 * VarianceOf(channel.reference) &&
         VarianceOf(channel.reference) > 0;
}

double ScaleResidual(const tensor::PairStatistics& pairs) {
  if (pairs.reference.sum_squares == 0) return pairs.sum_squared_error;
  return std::max(0.0,
                  pairs.compressed.sum_squares - Square(pairs.Dot()) / pairs.reference.sum_squares);
}

double OffsetResidual(const tensor::PairStatistics& pairs) {
  return std::max(0.0, pairs.sum_squared_error -
                           static_cast<double>(pairs.finite_count()) * Square(ShiftOf(pairs)));
}

void ClippingResidual::Add(std::span<const float> references, std::span<const float> compressed,
                           float low, float high) {
  // Sums in several lanes, so that compilers vectorize the loop, and in blocks, so that float is
  // precise enough for millions of values.
  constexpr std::size_t kLanes = 16, kBlock = 64 * kLanes;
  for (std::size_t begin = 0; begin < references.size(); begin += kBlock) {
    const std::size_t end = std::min(references.size(), begin + kBlock);
    std::array<float, kLanes> sums = {}, largest = {};
    const auto add = [&](std::size_t i, std::size_t lane) {
      const float clipped = std::min(std::max(references[i], low), high);
      const float distance = std::abs(clipped - compressed[i]);
      const float left = distance <= std::numeric_limits<float>::max() ? distance : 0;
      sums[lane] += left * left;
      largest[lane] = std::max(largest[lane], left);
    };
    std::size_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
    }
    for (; i < end; ++i) add(i, 0);
    for (const float sum : sums) sum_squares += double{sum};
    max = std::max(max, double{*std::ranges::max_element(largest)});
  }
}

}  // namespace cboard::compare
