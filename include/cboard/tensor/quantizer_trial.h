// The error of another quantizer for the same weights: recomputed, not estimated.
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

  // Codes from -(2^(bits-1) - 1) to 2^(bits-1) - 1 with zero point 0; otherwise from 0 to 2^bits -
  // 1 with a zero point that makes 0 exact.
  bool symmetric = true;

  Quantization::Granularity granularity = Quantization::Granularity::kPerTensor;
  std::size_t axis = 0;        // kPerChannel.
  std::size_t group_size = 0;  // kPerGroup: along the last dimension.

  // The share of values, in percent, that each scale's range covers: their magnitudes if symmetric,
  // otherwise the middle of them. 100 takes the extremes.
  double percentile = 100;
};

struct QuantizerTrial {
  Comparison comparison;  // With the real weights as the reference.
  // The weights' codes, packed, with float32 scales and, if not symmetric, zero points as codes.
  std::uint64_t size_bytes = 0;
};

// Quantizes the real values of `weights` and compares. Values that are not finite are left out of
// ranges and comparison. Takes memory for a few rows, and for a copy of weights that are not
// float32.
//
// Fails with kInvalidArgument when the tensor is not valid or the quantizer does not fit it.
Result<QuantizerTrial> TryQuantizer(const TensorView& weights, const Quantizer& quantizer,
                                    std::optional<std::size_t> channel_axis = std::nullopt);

// The same for several quantizers, in their order; the weights are brought from memory once for
// all of them.
Result<std::vector<QuantizerTrial>> TryQuantizers(
    const TensorView& weights, std::span<const Quantizer> quantizers,
    std::optional<std::size_t> channel_axis = std::nullopt);

}  // namespace cboard::tensor
