// Residuals: the error that remains after a cause is undone, computed from sums over a tensor.
#pragma once

#include <cmath>
#include <optional>
#include <span>

#include "cboard/tensor/compare.h"

namespace cboard::compare {

double MeanOf(const tensor::TensorStatistics& side);
double VarianceOf(const tensor::TensorStatistics& side);
double RangeOf(const tensor::TensorStatistics& side);  // Largest magnitude.

// Returns the mean of the compressed values minus the mean of the baseline's values.
double ShiftOf(const tensor::PairStatistics& pairs);

// Returns true if a channel became constant. Returns false if its values are smaller than a
// quantization step or were clipped.
bool IsDead(const tensor::PairStatistics& channel, std::optional<double> step);

// The residual if clipping were the only error: Σ(clip(x) - y)² and the largest |clip(x) - y|,
// where clip() limits the baseline's values x to the quantization range. Skips pairs that are not
// finite.
struct ClippingResidual {
  double sum_squares = 0;
  double max = 0;

  void Add(std::span<const float> references, std::span<const float> compressed, float low,
           float high);
};

// The residual after the best factor a or offset d is undone: the minimum of Σ(y - a x)², and of
// Σ(y - x - d)².
double ScaleResidual(const tensor::PairStatistics& pairs);
double OffsetResidual(const tensor::PairStatistics& pairs);

// Sum over channels of the residual after a factor or offset is fitted to each channel, corrected
// for the degrees of freedom.
template <typename Left>
double PerChannelResidual(const tensor::Comparison& comparison, const Left& left) {
  double sum = 0, counted = 0;
  for (const tensor::PairStatistics& channel : comparison.channels) {
    if (channel.finite_count() == 0) continue;
    sum += left(channel);
    counted += 1;
  }
  const double n = static_cast<double>(comparison.total.finite_count());
  return n > counted && counted > 0 ? sum * n / (n - counted) : HUGE_VAL;
}

}  // namespace cboard::compare
