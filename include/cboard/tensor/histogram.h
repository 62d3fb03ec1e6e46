// Computes histograms with the bins of TensorBoard or numpy; the counts are exact.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// A histogram in TensorBoard's format, with right edges only. Count i is the number of values in
// [limits[i-1], limits[i]), as in numpy; the last bin also contains values equal to its right edge.
// num, min, max and the sums include the values outside all bins. As in numpy, they are NaN if a
// value is NaN. Sums are at least as accurate as numpy's, and may differ from them in the last
// digits.
struct HistogramData {
  double min = 0;
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  std::vector<double> bucket_limits;
  std::vector<double> bucket_counts;
};

// The estimators of numpy.histogram_bin_edges, with numpy's names. kAuto follows NumPy up to 2.2;
// NumPy 2.3 uses fewer bins if a few values of a large tensor are far away from the others.
enum class BinEstimator { kAuto, kFd, kDoane, kScott, kStone, kRice, kSturges, kSqrt };
Result<BinEstimator> BinEstimatorOf(std::string_view name);

// TensorBoard's bins. They have 1549 edges: 0 and ±1e-12 … ±9.9e19, where each magnitude is 1.1
// times the previous one.
struct TensorBoardBins {};

// Bins of equal width between the smallest and the largest value. At most 2^24 bins are allowed.
struct EqualBins {
  std::size_t count = 10;
};

// Bins with the given edges, which are in ascending order. Values outside the edges are not
// counted.
struct BinEdges {
  std::span<const double> edges;
};

using Binning = std::variant<TensorBoardBins, BinEstimator, EqualBins, BinEdges>;

// Returns the 1549 edges of TensorBoardBins.
std::span<const double> TensorBoardBinEdges();

// Counts the values of `tensor` exactly like numpy.histogram after a conversion to float64. Then
// merges neighbouring bins until there are about `max_bins` (0: no limit). Removes empty bins at
// both ends like tensorboardX, which keeps one empty bin on the left. Quantized tensors are
// dequantized.
//
// Estimators need a float64 copy of the tensor; the other bin types do not. Safe to call from many
// threads; each thread keeps up to 200 KiB of counters for its next call.
//
// Fails with kInvalidArgument if the tensor is empty, if edges are not sorted or there are fewer
// than two, or if no value is inside a bin. With estimators or equal bins, also fails if values are
// not finite, or if there would be no bin, more than 2^24 bins, or bins that float64 cannot
// distinguish.
Result<HistogramData> ComputeHistogram(const TensorView& tensor,
                                       const Binning& binning = TensorBoardBins{},
                                       std::size_t max_bins = 0);

}  // namespace cboard::tensor
