// Bins that are the same for all tensors of about one magnitude, so that counts of many can be
// added up: 2^exponent wide, with edges at the multiples of that.
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
  std::int64_t first = 0;  // Bin i is [i, i + 1) * 2^exponent; this is that of the first count.

  static constexpr int kMinExponent = -1000;
  static constexpr int kMaxExponent = 1023;
  // Bins from -kMaxIndex to kMaxIndex may be counted.
  static constexpr std::int64_t kMaxIndex = std::int64_t{1} << 30;

  double width() const;
  // The bin of a finite value whose magnitude is below kMaxIndex * width().
  std::int64_t IndexOf(double value) const;
};

// Adds to each count how many values of `tensor` lie in its bin, to the last bit: values are not
// rounded. Those that lie in none of the bins, NaN and infinities are not counted. Quantized
// tensors are counted by their real values.
//
// Fails with kInvalidArgument when the tensor is not valid or the grid is not as above; nothing
// was counted then.
Result<void> CountInGrid(const TensorView& tensor, const BinGrid& grid, std::span<double> counts);

}  // namespace cboard::tensor
