// Counts overflows of 8-bit matrix products on processors without VNNI.
//
// The instruction VPMADDUBSW multiplies unsigned activations by signed weights, and adds
// neighbouring products along the reduction in 16 bits with saturation: 255 * 127 * 2 = 64770
// becomes 32767. The model then gives other results than on other processors. Weights of 7 bits
// cannot overflow: 255 * 64 * 2 = 32640.
//
//   const Result<SaturationCount> count = CountSaturation(activations, weights, depth);
//   if (count->saturated > 0) …  // advise reduce_range, or signed activations
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cboard/base/result.h"

namespace cboard::tensor {

struct SaturationCount {
  std::uint64_t pairs = 0;      // Pairs of neighbouring products along the reduction.
  std::uint64_t saturated = 0;  // Pairs whose sum does not fit 16 bits.
  std::uint64_t products = 0;   // Number of elements of the matrix product.
  std::uint64_t affected = 0;   // Number of elements with at least one saturated pair.

  double Rate() const {
    return pairs == 0 ? 0 : static_cast<double>(saturated) / static_cast<double>(pairs);
  }
};

// Counts the overflows of VPMADDUBSW exactly. The activations are a [rows, depth] matrix,
// multiplied by the transpose of the [channels, depth] weights; both are row-major. Elements 2k and
// 2k + 1 of a row are a pair. If the depth is odd, the last element has no partner. For
// convolutions, pass the im2col matrix.
//
// Takes time proportional to rows * channels * depth. Weight rows that cannot overflow with these
// activations are skipped.
//
// Fails with kInvalidArgument if `depth` is 0 or does not divide the sizes.
Result<SaturationCount> CountSaturation(std::span<const std::uint8_t> activations,
                                        std::span<const std::int8_t> weights, std::size_t depth);

}  // namespace cboard::tensor
