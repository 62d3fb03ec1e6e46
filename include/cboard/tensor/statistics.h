// Computes statistics of a tensor's values in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// Statistics of a tensor's real values; quantized tensors are dequantized. Only finite values are
// part of min, max and the sums; min and max are NaN if there are no finite values. Sums are
// accumulated in float64; sums of 8-bit codes are exact.
struct TensorStatistics {
  std::uint64_t count = 0;
  std::uint64_t nan_count = 0;
  std::uint64_t positive_infinity_count = 0;
  std::uint64_t negative_infinity_count = 0;
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;

  std::uint64_t finite_count() const {
    return count - nan_count - positive_infinity_count - negative_infinity_count;
  }
};

// Computes the statistics of a tensor. The count of an empty tensor is 0. Fails only if `tensor` is
// not valid.
Result<TensorStatistics> ComputeStatistics(const TensorView& tensor);

// Computes the statistics of a tensor for each index of dimension `axis`.
Result<std::vector<TensorStatistics>> ComputeChannelStatistics(const TensorView& tensor,
                                                               std::size_t axis);

}  // namespace cboard::tensor
