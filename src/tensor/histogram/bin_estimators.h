// How many bins suit some data: numpy.histogram_bin_edges' estimators.
//
// `auto` is the rule of NumPy up to 2.2, the narrower of `fd` and `sturges`: it is the last one
// that every Python supported by tensorboardX can install. NumPy 2.3 began to bound it by `sqrt`,
// which differs only for values far outside the quartiles of large tensors.
#pragma once

#include <cstddef>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"
#include "tensor/histogram/equal_bins.h"

namespace cboard::tensor {

// The number of equal bins for `values`, which are finite, at least one, and in any order (they are
// not kept in it). Fails with kInvalidArgument when it is beyond kMaxEqualBins.
Result<std::size_t> EstimateBinCount(BinEstimator estimator, std::vector<double> values);

}  // namespace cboard::tensor
