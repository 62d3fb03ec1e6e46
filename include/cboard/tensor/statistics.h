// Computes statistics of a tensor's values in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// Statistics of real values; quantized tensors are dequantized on the fly. Min, max and sums are
// over finite values; min and max are NaN if there are none. Sums are accumulated in float64; sums
// of 8-bit codes are exact.
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

// Computes the statistics of a tensor. Fails only if `tensor` is not valid. An empty tensor has
// count 0.
Result<TensorStatistics> ComputeStatistics(const TensorView& tensor);

// Computes the statistics of a tensor for each index of dimension `axis`.
Result<std::vector<TensorStatistics>> ComputeChannelStatistics(const TensorView& tensor,
                                                               std::size_t axis);

}  // namespace cboard::tensor
