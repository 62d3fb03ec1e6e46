// Computes medians and percentiles of many values without sorting or copying them.
//
//   const float median = RankedMagnitude(row, row.size() / 2);
#pragma once

#include <cstddef>
#include <span>

namespace cboard::tensor {

// Returns the magnitude that is at index `rank` if all magnitudes are sorted. The result is exact;
// NaN is treated as infinity. The function takes little more time than reading the values, and
// memory for a small part of them.
float RankedMagnitude(std::span<const float> values, std::size_t rank);

}  // namespace cboard::tensor
