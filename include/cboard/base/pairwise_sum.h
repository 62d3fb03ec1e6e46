// numpy's way to add up numbers.
#pragma once

#include <span>

namespace cboard {

// numpy.sum of contiguous float64 values, bit for bit: eight running sums over up to 128 values,
// halves beyond that. For results that must round as numpy's do.
double PairwiseSum(std::span<const double> values);

}  // namespace cboard
