// Measures the error that another quantizer would cause, by quantizing the same weights with it.
//
//   CBOARD_ASSIGN_OR_RETURN(const QuantizerTrial now, TryQuantizer(weights, {.bits = 8}));
//   CBOARD_ASSIGN_OR_RETURN(
//       const QuantizerTrial then,
//       TryQuantizer(weights, {.bits = 4,
//                              .granularity = Quantization::Granularity::kPerGroup,
//                              .group_size = 32}));
//   then.comparison.total.SqnrDb() - now.comparison.total.SqnrDb();
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/compare.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

struct Quantizer {
  int bits = 8;  // 2 to 16.

  // True for symmetric codes: from -(2^(bits-1) - 1) to 2^(bits-1) - 1, with zero point 0. False
  // for codes from 0 to 2^bits - 1, with a zero point that represents 0 exactly.
  bool symmetric = true;

  Quantization::Granularity granularity = Quantization::Granularity::kPerTensor;
  std::size_t axis = 0;        // For kPerChannel.
  std::size_t group_size = 0;  // For kPerGroup: groups along the last dimension.

  // The percentage of values inside the range of a scale. If the quantizer is symmetric, the
  // largest magnitudes are outside; otherwise equal shares of the smallest and the largest values.
  // 100 covers all values.
  double percentile = 100;
};

struct QuantizerTrial {
  Comparison comparison;  // Comparison with the real weights as the baseline.
  // Size of the quantized weights in bytes: packed codes, a float32 scale per group and, for
  // asymmetric quantization, a zero point per group. A zero point has as many bits as a code.
  std::uint64_t size_bytes = 0;
};

// Quantizes the real values of `weights` and compares the result with them. Ignores non-finite
// values. Uses memory for a few rows, and for a copy of the weights if they are not float32.
//
// Fails with kInvalidArgument if the tensor is not valid or the quantizer does not fit its shape.
Result<QuantizerTrial> TryQuantizer(const TensorView& weights, const Quantizer& quantizer,
                                    std::optional<std::size_t> channel_axis = std::nullopt);

// Tries several quantizers and returns the results in the same order. The weights are read from
// memory only once for all quantizers.
Result<std::vector<QuantizerTrial>> TryQuantizers(
    const TensorView& weights, std::span<const Quantizer> quantizers,
    std::optional<std::size_t> channel_axis = std::nullopt);

}  // namespace cboard::tensor
