// The inner loops of compare.h: two arrays read once, everything said about them in sums. Compiled
// for every x86-64 and ARM generation; the right one is chosen at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/kernels/moment_kernels.h"

namespace cboard::tensor {

// Arrays are compared in blocks of this many values: what a second look at a block needs (a NaN, a
// clipped value, a new code) is then still in the first-level cache.
inline constexpr std::size_t kPairBlock = 4096;

// Errors of a non-empty block of references and compressed values. Errors are differences of the
// real values, in double precision: float32 would bias the sums, and with them the cosine.
//
// A NaN or an infinity on either side always shows as a sum of squares that is not finite; the
// other members mean nothing then.
struct BlockErrors {
  BlockMoments reference;
  double sum_squares = 0;
  double max = 0;  // The largest magnitude.
};

// Against codes that stand for (code - zero_point) * scale, with a finite scale.
BlockErrors ErrorsOf(std::span<const float> reference, std::span<const std::int8_t> codes,
                     double scale, std::int32_t zero_point);
BlockErrors ErrorsOf(std::span<const float> reference, std::span<const std::uint8_t> codes,
                     double scale, std::int32_t zero_point);

// Against real values, whose own moments come from the same pass.
BlockErrors ErrorsOf(std::span<const float> reference, std::span<const float> compressed,
                     BlockMoments& compressed_moments);
BlockErrors ErrorsOf(std::span<const double> reference, std::span<const double> compressed,
                     BlockMoments& compressed_moments);

// Which bytes have occurred, a bit each.
struct ByteSet {
  alignas(16) std::array<std::uint8_t, 32> bits{};

  void Insert(std::uint8_t byte) {
    bits[byte >> 3] = static_cast<std::uint8_t>(bits[byte >> 3] | 1u << (byte & 7));
  }
  // Adds every byte of an array; quick when all of them are there already.
  void Insert(std::span<const std::uint8_t> bytes);
  // Whether all codes from the first to the last are there, those below zero as their bytes.
  bool ContainsAll(std::int64_t first, std::int64_t last) const;
  void Insert(const ByteSet& other) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      bits[i] = static_cast<std::uint8_t>(bits[i] | other.bits[i]);
    }
  }
  int size() const;
};

// How many values are below `low` or above `high`.
std::size_t CountOutside(std::span<const float> values, float low, float high);

}  // namespace cboard::tensor
