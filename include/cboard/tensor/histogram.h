// Histograms with the bins that TensorBoard's and numpy's users expect, to the last count.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// As TensorBoard stores it: only right edges. Count i is of values in [limits[i-1], limits[i]), as
// numpy counts them; the last bin of a binning holds values equal to its right edge, too.
// num, min, max and the sums are over all values, counted or not, as numpy computes them: with a
// NaN among the values they are NaN. Sums are at least as accurate as numpy's and may differ from
// them in the last digits.
struct HistogramData {
  double min = 0;
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  std::vector<double> bucket_limits;
  std::vector<double> bucket_counts;
};

// numpy.histogram_bin_edges' estimators, by its names. kAuto follows NumPy up to 2.2; NumPy 2.3
// takes fewer bins when a few values of a large tensor lie far away from the others.
enum class BinEstimator { kAuto, kFd, kDoane, kScott, kStone, kRice, kSturges, kSqrt };
Result<BinEstimator> BinEstimatorOf(std::string_view name);

// 1549 exponential edges, ±1e-12 … ±9.9e19, each 1.1 times the one before, and 0.
struct TensorBoardBins {};

// Between the smallest and the largest value; at most 2^24.
struct EqualBins {
  std::size_t count = 10;
};

// Ascending; values outside are not counted.
struct BinEdges {
  std::span<const double> edges;
};

using Binning = std::variant<TensorBoardBins, BinEstimator, EqualBins, BinEdges>;

// The 1549 edges of TensorBoardBins.
std::span<const double> TensorBoardBinEdges();

// Counts `tensor` exactly as numpy.histogram would (after conversion to float64), then thins to
// about `max_bins` (0 = no limit) and trims empty bins at both ends as tensorboardX does: one empty
// bin stays on the left. Quantized tensors are dequantized on the fly.
//
// Estimators work on a float64 copy of the tensor; the other binnings read it in place. Safe to
// call from many threads; each keeps up to 200 KiB of counters for its next call.
//
// Fails with kInvalidArgument for an empty tensor, for unsorted or fewer than two edges, for
// estimators or equal bins over non-finite values, when these would make no bin, more than 2^24 or
// bins that float64 cannot tell apart, and when no value falls into any bin.
Result<HistogramData> ComputeHistogram(const TensorView& tensor,
                                       const Binning& binning = TensorBoardBins{},
                                       std::size_t max_bins = 0);

}  // namespace cboard::tensor
