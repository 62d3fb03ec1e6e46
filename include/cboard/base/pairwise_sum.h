// Adds numbers in the same order as numpy, to get the same rounding.
#pragma once

#include <span>

namespace cboard {

// Adds values. The result equals numpy.sum of contiguous float64 values, bit for bit: eight running
// sums over up to 128 values; longer arrays are halved. For results that must round as numpy's do.
double PairwiseSum(std::span<const double> values);

}  // namespace cboard
