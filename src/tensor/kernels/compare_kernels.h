// Inner loops of compare.h: sums over two arrays in one pass. The loops are compiled for every
// generation of x86-64 and ARM processors; the program selects one at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/kernels/moment_kernels.h"

namespace cboard::tensor {

// Number of values in a block. The block is small enough to stay in the first-level cache for a
// second pass, which a NaN, a clipped value or a new code may require.
inline constexpr std::size_t kPairBlock = 4096;

// Errors of a non-empty block of baseline and compressed values. An error is the difference of two
// real values in double precision; float32 would bias the sums and the cosine.
//
// If a baseline or compressed value is NaN or infinite, a sum of squares is not finite, and the
// other members are undefined.
struct BlockErrors {
  BlockMoments reference;
  double sum_squares = 0;
  double max = 0;  // The largest magnitude.
};

// Compares float values with codes. A code represents (code - zero_point) * scale; the scale is
// finite.
BlockErrors ErrorsOf(std::span<const float> reference, std::span<const std::int8_t> codes,
                     double scale, std::int32_t zero_point);
BlockErrors ErrorsOf(std::span<const float> reference, std::span<const std::uint8_t> codes,
                     double scale, std::int32_t zero_point);

// Compares baseline values with real compressed values, and computes the moments of the compressed
// values in the same pass.
BlockErrors ErrorsOf(std::span<const float> reference, std::span<const float> compressed,
                     BlockMoments& compressed_moments);
BlockErrors ErrorsOf(std::span<const double> reference, std::span<const double> compressed,
                     BlockMoments& compressed_moments);

// The set of bytes that occurred. It has one bit per byte value.
struct ByteSet {
  alignas(16) std::array<std::uint8_t, 32> bits{};

  void Insert(std::uint8_t byte) {
    bits[byte >> 3] = static_cast<std::uint8_t>(bits[byte >> 3] | 1u << (byte & 7));
  }
  // Adds all bytes of an array to the set. This is fast if all of them are already in the set.
  void Insert(std::span<const std::uint8_t> bytes);
  // True if the set contains all codes from `first` to `last`. A negative code is in the set as its
  // byte.
  bool ContainsAll(std::int64_t first, std::int64_t last) const;
  void Insert(const ByteSet& other) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      bits[i] = static_cast<std::uint8_t>(bits[i] | other.bits[i]);
    }
  }
  int size() const;
};

// Counts the values of an array that are below `low` or above `high`.
std::size_t CountOutside(std::span<const float> values, float low, float high);

}  // namespace cboard::tensor
