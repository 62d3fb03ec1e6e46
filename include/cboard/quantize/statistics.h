// Statistics of activations, collected in one run over the samples.
//
// Memory does not depend on the number of samples. The result does not depend on the order in which
// threads finish: bin widths are powers of two, so a coarser bin is the exact sum of finer bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::quantize {

// A histogram with bins of the width 2^exponent, from -kBins/2 to kBins/2 - 1. If a value is
// outside of all bins, the width doubles and pairs of bins are merged.
class WideningHistogram {
 public:
  static constexpr std::int64_t kBins = 8192;

  // Adds the finite values of a tensor; `max_magnitude` is the largest magnitude in the tensor.
  Result<void> Add(const TensorView& tensor, double max_magnitude);
  void Merge(const WideningHistogram& other);

  bool empty() const { return counts_.empty(); }
  double width() const;
  int exponent() const { return exponent_; }
  // The counts of the bins: counts()[i + kBins / 2] counts the values in [i, i + 1) * width().
  const std::vector<double>& counts() const { return counts_; }
  static WideningHistogram From(int exponent, std::vector<double> counts);

 private:
  void Widen(int exponent);

  int exponent_ = 0;
  std::vector<double> counts_;
};

// A special axis that means the last dimension of a tensor of any rank.
inline constexpr std::size_t kLastAxis = ~std::size_t{0};

struct TensorStatistics {
  std::vector<std::int64_t> shape;  // Shape in the first sample.
  std::uint64_t count = 0;
  std::uint64_t nonfinite_count = 0;
  double min = 0;
  double max = 0;
  double sum = 0;
  double sum_squares = 0;
  // The min of each sample, averaged over all samples, and the max of each sample, averaged over
  // all samples.
  double mean_min = 0;
  double mean_max = 0;
  WideningHistogram histogram;
  // Dimension of the channels, or kLastAxis. The statistics by channel are empty if the tensor has
  // no such dimension, or if its size differs between samples.
  std::size_t channel_axis = 1;
  std::vector<double> channel_min, channel_max, channel_sum;
  std::vector<double> channel_sum_squares;
  std::uint64_t samples = 0;
  // The Gram matrix of the last dimension, row-major, if it was requested; otherwise empty.
  std::vector<double> gram;

  bool is_usable() const { return count > nonfinite_count && nonfinite_count == 0; }
};

struct Statistics {
  std::map<std::string, TensorStatistics> tensors;
  std::size_t samples = 0;
  std::string source;         // The description of the samples.
  bool is_generated = false;  // Random samples: ranges may not describe real use.
  std::vector<std::string> warnings;
};

}  // namespace cboard::quantize
