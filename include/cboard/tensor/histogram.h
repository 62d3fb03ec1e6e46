// Histograms with the bins that TensorBoard's and numpy's users expect, to the last count.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard {

// As TensorBoard stores it: count i is of values in (limits[i-1], limits[i]].
// num, min, max and the sums are over all values, counted or not, as numpy computes them: with a
// NaN among the values they are NaN.
struct HistogramData {
  double min = 0;
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  std::vector<double> bucket_limits;
  std::vector<double> bucket_counts;
};

// numpy.histogram_bin_edges' estimators, by its names.
enum class BinEstimator { kAuto, kFd, kDoane, kScott, kStone, kRice, kSturges, kSqrt };
Result<BinEstimator> BinEstimatorOf(std::string_view name);

struct TensorBoardBins {};  // 1549 exponential edges, ±1e-12 … ±9.9e19.
struct EqualBins {
  std::size_t count = 10;
};
struct BinEdges {
  std::span<const double> edges;
};  // Ascending.
using Binning = std::variant<TensorBoardBins, BinEstimator, EqualBins, BinEdges>;

// The 1549 edges of TensorBoardBins.
std::span<const double> TensorBoardBinEdges();

// Counts `tensor` exactly as numpy.histogram would (after conversion to float64), then thins to
// `max_bins` (0 = no limit) and trims empty bins at both ends as tensorboardX does: one empty bin
// stays on the left. Quantized tensors are dequantized on the fly.
//
// Fails with kInvalidArgument for an empty tensor, for unsorted or fewer than two edges, for
// estimators or equal bins over non-finite values, and when no value falls into any bin.
Result<HistogramData> ComputeHistogram(const TensorView& tensor,
                                       const Binning& binning = TensorBoardBins{},
                                       std::size_t max_bins = 0);

}  // namespace cboard
