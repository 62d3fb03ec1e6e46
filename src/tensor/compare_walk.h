// Two tensors side by side, in stretches that belong to one channel and one scale.
#pragma once

#include <span>

#include "cboard/tensor/compare.h"
#include "tensor/compare_bins.h"
#include "tensor/compare_sums.h"
#include "tensor/element_reader.h"

namespace cboard {

// The first and the last code of a quantized tensor.
ComparisonOptions::CodeRange CodesOf(const TensorView& codes, const ComparisonOptions& options);

// Whether errors can be expressed in steps of this scale.
bool IsUsableScale(double scale, double zero_point);

// Adds all pairs to the sums of their channels (to the only one, without a channel axis) and to
// `bins`, if there are some. Both tensors are valid, of one shape, and not empty.
void WalkPairs(const TensorView& reference, const TensorView& compressed,
               const ComparisonOptions& options, std::span<PairSums> channels, StepBins* bins);

}  // namespace cboard
