// Estimates a number of bins from the data, like numpy.histogram_bin_edges.
//
// `auto` follows NumPy up to 2.2: the narrower of `fd` and `sturges`. That is the last version that
// every Python supported by tensorboardX can install. NumPy 2.3 also limits it by `sqrt`, which
// differs only for values far outside the quartiles of large tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"
#include "tensor/histogram/equal_bins.h"

namespace cboard::tensor {

// Returns the number of equal bins for `values`, which must be finite and not empty; their order
// may change. Fails with kInvalidArgument if it exceeds kMaxEqualBins.
Result<std::size_t> EstimateBinCount(BinEstimator estimator, std::vector<double> values);

}  // namespace cboard::tensor
