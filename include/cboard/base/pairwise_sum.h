// Adds numbers in the same order as numpy, to get the same rounding.
#pragma once

#include <span>

namespace cboard {

// Returns the sum of `values`. It equals numpy.sum of contiguous float64 values, bit for bit: up to
// 128 values are added in eight running sums, and longer arrays are split into halves. Use it for
// results that must have the rounding of numpy.
double PairwiseSum(std::span<const double> values);

}  // namespace cboard
