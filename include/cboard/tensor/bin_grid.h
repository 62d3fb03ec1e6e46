// Counts values in bins that all tensors of similar magnitude share, so that counts can be added:
// bins are 2^exponent wide, with edges at multiples of their width.
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
  // Largest index of a bin; bins from -kMaxIndex to kMaxIndex are allowed.
  static constexpr std::int64_t kMaxIndex = std::int64_t{1} << 30;

  double width() const;
  // Returns the index of the bin of a finite value. Its magnitude must be below kMaxIndex *
  // width().
  std::int64_t IndexOf(double value) const;
};

// Adds to each count the number of values of `tensor` in its bin, exactly: values are not rounded.
// Values outside of all bins, NaN and infinities are not counted. Quantized tensors are
// dequantized.
//
// Fails with kInvalidArgument if the tensor is not valid or the grid is outside its limits; nothing
// is counted then.
Result<void> CountInGrid(const TensorView& tensor, const BinGrid& grid, std::span<double> counts);

}  // namespace cboard::tensor
