// Minimum, maximum and sums of a block of values, with the widest vectors that the processor has.
// Compiled for every x86-64 and ARM generation; the right one is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cboard::tensor {

// Blocks of this many values keep running sums in registers short, and therefore accurate.
inline constexpr std::size_t kMomentBlock = 4096;

// Moments of a non-empty block. Sums are accumulated in double precision.
//
// A NaN or an infinity among the values always shows as a sum_squares that is not finite; minimum
// and maximum mean nothing then. (So may large doubles: their squares overflow.)
struct BlockMoments {
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;
};
BlockMoments MomentsOf(std::span<const float> block);
BlockMoments MomentsOf(std::span<const double> block);

// Moments of a non-empty array of any length, exact below 2^47 elements.
struct CodeMoments {
  std::int64_t count = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t sum = 0;
  std::int64_t sum_squares = 0;
};
CodeMoments MomentsOf(std::span<const std::int8_t> codes);
CodeMoments MomentsOf(std::span<const std::uint8_t> codes);

}  // namespace cboard::tensor
