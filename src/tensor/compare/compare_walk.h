// Compares two tensors piece by piece. All elements of a piece have the same channel and the same
// scale.
#pragma once

#include <optional>
#include <span>

#include "cboard/tensor/compare.h"
#include "tensor/compare/compare_bins.h"
#include "tensor/compare/compare_sums.h"
#include "tensor/element_reader.h"

namespace cboard::tensor {

// Returns the first and the last code of a quantized tensor.
ComparisonOptions::CodeRange CodesOf(const TensorView& codes, const ComparisonOptions& options);

// True if errors can be expressed in units of this scale.
bool IsUsableScale(double scale, double zero_point);

// Counts over all channels together. Counting codes per channel would cost more than all other
// statistics.
struct SharedCounts {
  std::optional<StepBins> bins;
  // The set of 8-bit codes that occurred. It is not used if `bins` counts them.
  std::optional<ByteSet> codes;

  // Adds the counts of `other`. If both have bins, the bins must be equal.
  void Merge(const SharedCounts& other);

  // Returns the number of distinct codes, or nullopt if codes were not counted.
  std::optional<int> used_codes() const;
};

// Adds all pairs of values to the sums of their channels, and to the counts in `shared`. If there
// is no channel axis, `channels` has one entry. Both tensors must be valid, of equal shape, and not
// empty.
void WalkPairs(const TensorView& reference, const TensorView& compressed,
               const ComparisonOptions& options, std::span<PairSums> channels,
               SharedCounts& shared);

}  // namespace cboard::tensor
