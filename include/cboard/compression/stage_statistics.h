// Statistics of a layer's output while calibration data runs through the model: a histogram and the
// min, max and mean of each channel, in memory that does not grow with the data.
//
//   OutputStatistics relu1;
//   for (…) CBOARD_RETURN_IF_ERROR(relu1.Add(output));
//   logger.LogStatistics("thresholds_selection", "relu1", relu1);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/bin_grid.h"
#include "cboard/tensor/histogram.h"
#include "cboard/tensor/statistics.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::compression {

// A histogram with bins of equal width. The width is a power of two, and the edges of the bins are
// multiples of the width. If a value is outside of all bins, pairs of bins are merged and the bins
// become wider. The result depends only on the values, not on how they were divided into tensors.
class GrowingHistogram {
 public:
  static constexpr std::int64_t kMaxBins = 2048;

  // Counts the finite values of `tensor`; `min` and `max` must be the smallest and largest of these
  // values.
  Result<void> Add(const TensorView& tensor, double min, double max);

  // Writes limits and counts to `data`; the first limit is the left edge of the first bin. Empty if
  // there are no values.
  void Fill(tensor::HistogramData& data) const;

 private:
  void Cover(double min, double max);
  void DoubleWidth();

  tensor::BinGrid grid_;
  std::vector<double> counts_;
};

// Statistics of one layer's output. This class is not thread-safe.
class OutputStatistics {
 public:
  // `channel_axis` is the dimension of the channels: 1 for PyTorch, the last one for Keras. In a
  // tensor with fewer dimensions, the last dimension has the channels.
  explicit OutputStatistics(std::size_t channel_axis = 1) : channel_axis_(channel_axis) {}

  // Adds a tensor of any dtype and batch size; quantized values are dequantized. All tensors must
  // have the same number of channels. NaN and infinities are only counted. An empty tensor adds
  // nothing.
  //
  // Fails with kInvalidArgument if the tensor is not valid, has no dimension, or has another number
  // of channels than earlier tensors. Nothing is added then.
  Result<void> Add(const TensorView& output);

  const tensor::TensorStatistics& total() const { return total_; }
  const std::vector<tensor::TensorStatistics>& channels() const { return channels_; }

  // Returns the histogram of all finite values; nullopt if there is no finite value.
  std::optional<tensor::HistogramData> Histogram() const;

 private:
  std::size_t channel_axis_;
  tensor::TensorStatistics total_;
  std::vector<tensor::TensorStatistics> channels_;
  GrowingHistogram histogram_;
};

}  // namespace cboard::compression
