// Where 8-bit matrix products overflow on processors without VNNI.
//
// VPMADDUBSW multiplies unsigned activations by signed weights and adds neighbours along the
// reduction in 16 bits, saturating: 255 * 127 * 2 = 64770 becomes 32767, and the model answers
// otherwise than it does elsewhere. Weights of 7 bits cannot overflow: 255 * 64 * 2 = 32640.
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
  std::uint64_t products = 0;   // Elements of the matrix product …
  std::uint64_t affected = 0;   // … and those with at least one saturated pair.

  double Rate() const {
    return pairs == 0 ? 0 : static_cast<double>(saturated) / static_cast<double>(pairs);
  }
};

// Counts exactly what the instruction does for activations [rows, depth] times the transpose of
// weights [channels, depth], both row-major: elements 2k and 2k + 1 of a row are a pair, and the
// last one of an odd depth is paired with nothing. Convolutions bring the patches they multiply.
//
// The work is that of the product, rows * channels * depth, except that weight rows which cannot
// overflow with these activations cost nothing.
//
// Fails with kInvalidArgument when `depth` is 0 or does not divide the sizes.
Result<SaturationCount> CountSaturation(std::span<const std::uint8_t> activations,
                                        std::span<const std::int8_t> weights, std::size_t depth);

}  // namespace cboard::tensor
