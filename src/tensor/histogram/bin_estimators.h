// Estimates a number of bins from the data, like numpy.histogram_bin_edges.
//
// `auto` follows NumPy up to 2.2: it uses the smaller bin width of `fd` and `sturges`. NumPy 2.2 is
// the last version that every Python supported by tensorboardX can install. NumPy 2.3 also compares
// the width with that of `sqrt`. The result differs only for large tensors in which some values are
// far outside the quartiles.
#pragma once

#include <cstddef>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"
#include "tensor/histogram/equal_bins.h"

namespace cboard::tensor {

// Returns the number of equal bins for `values`. The values must be finite and not empty; their
// order may change. Fails with kInvalidArgument if the number of bins exceeds kMaxEqualBins.
Result<std::size_t> EstimateBinCount(BinEstimator estimator, std::vector<double> values);

}  // namespace cboard::tensor
