// Two tensors side by side, in stretches that belong to one channel and one scale.
#pragma once

#include <optional>
#include <span>

#include "cboard/tensor/compare.h"
#include "tensor/compare/compare_bins.h"
#include "tensor/compare/compare_sums.h"
#include "tensor/element_reader.h"

namespace cboard::tensor {

// The first and the last code of a quantized tensor.
ComparisonOptions::CodeRange CodesOf(const TensorView& codes, const ComparisonOptions& options);

// Whether errors can be expressed in steps of this scale.
bool IsUsableScale(double scale, double zero_point);

// Counts over all channels: counting codes by channel would cost more than all its other
// statistics.
struct SharedCounts {
  std::optional<StepBins> bins;
  // Set of 8-bit codes with a scale; not set if `bins` count them.
  std::optional<ByteSet> codes;

  // Both must have the same bins, if they have bins.
  void Merge(const SharedCounts& other);

  // How many different codes have occurred, if codes were counted.
  std::optional<int> used_codes() const;
};

// Adds all pairs to the sums of their channels (to the only one, without a channel axis) and to
// `shared`. Both tensors are valid, of one shape, and not empty.
void WalkPairs(const TensorView& reference, const TensorView& compressed,
               const ComparisonOptions& options, std::span<PairSums> channels,
               SharedCounts& shared);

}  // namespace cboard::tensor
