// Computes minimum, maximum and sums of a block of values with the widest vectors of the processor.
// The code is compiled for every generation of x86-64 and ARM processors; the program selects one
// at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cboard::tensor {

// Number of values in a block. Sums over short blocks are more accurate.
inline constexpr std::size_t kMomentBlock = 4096;

// Moments of a non-empty block. Sums are accumulated in double precision.
//
// If a value is NaN or infinite, sum_squares is not finite, and min and max are undefined. The
// squares of very large doubles may overflow too.
struct BlockMoments {
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;
};
BlockMoments MomentsOf(std::span<const float> block);
BlockMoments MomentsOf(std::span<const double> block);

// Moments of a non-empty array of codes. The array may have any length; the moments are exact below
// 2^47 elements.
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
