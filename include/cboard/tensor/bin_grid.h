// Counts values in bins. All tensors of similar magnitude use the same bins, so that their counts
// can be added. The width of a bin is 2^exponent, and the edges are multiples of the width.
//
//   std::vector<double> counts(200);
//   CBOARD_RETURN_IF_ERROR(CountInGrid(batch, {.exponent = -4, .first = -100}, counts));
//   // counts[103] has grown by the number of values in [3/16, 4/16).
#pragma once

#include <cstdint>
#include <span>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

struct BinGrid {
  int exponent = 0;        // From kMinExponent to kMaxExponent.
  std::int64_t first = 0;  // Index of the first counted bin; bin i is [i, i + 1) * 2^exponent.

  static constexpr int kMinExponent = -1000;
  static constexpr int kMaxExponent = 1023;
  // Largest index of a bin. The index of a bin is from -kMaxIndex to kMaxIndex.
  static constexpr std::int64_t kMaxIndex = std::int64_t{1} << 30;

  double width() const;
  // Returns the index of the bin that contains a finite value. The magnitude of the value must be
  // below kMaxIndex * width().
  std::int64_t IndexOf(double value) const;
};

// For each bin, adds the number of values of `tensor` inside the bin to its count. Counts are
// exact, because values are not rounded. Values outside all bins, NaN and infinities are not
// counted. Quantized tensors are dequantized.
//
// Fails with kInvalidArgument, and counts nothing, if the tensor is not valid or the grid is
// outside its limits.
Result<void> CountInGrid(const TensorView& tensor, const BinGrid& grid, std::span<double> counts);

}  // namespace cboard::tensor
