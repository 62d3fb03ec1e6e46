// Medians and percentiles of many values, without sorting them and without a copy of them.
//
//   const float median = RankedMagnitude(row, row.size() / 2);
#pragma once

#include <cstddef>
#include <span>

namespace cboard::tensor {

// The magnitude that would be at `rank` if all were sorted, exactly; NaN counts as infinity. Takes
// little more time than reading the values, and memory for a small part of them.
float RankedMagnitude(std::span<const float> values, std::size_t rank);

}  // namespace cboard::tensor
