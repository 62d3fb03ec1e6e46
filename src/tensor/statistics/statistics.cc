#include "cboard/tensor/statistics.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "cboard/tensor/convert.h"
#include "tensor/statistics/statistics_builder.h"

namespace cboard::tensor {
namespace {

// Minimum number of consecutive elements of a channel that are added directly. Channels with fewer
// consecutive elements are first gathered from several places.
constexpr std::size_t kShortStretch = 64;

// Adds rows to the statistics of all channels. A row has `inner` consecutive elements of each
// channel. One buffer per channel collects the channel's elements from several rows.
void AddGathered(const TensorView& tensor, std::size_t inner,
                 std::vector<StatisticsBuilder>& channels) {
  const std::size_t row_length = channels.size() * inner;
  const std::size_t rows = tensor.element_count() / row_length;
  // The buffers of all channels together should fit into the second-level cache.
  const std::size_t rows_at_once =
      std::min(rows, std::clamp<std::size_t>((1 << 15) / row_length, 8, 256));
  const std::size_t capacity = rows_at_once * inner;
  std::vector<double> row(row_length), buffers(channels.size() * capacity);
  std::size_t filled = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    ReadDoubles(tensor, i * row_length, row);
    // The innermost loop is over the channels, because the elements per channel are too few to be
    // copied one channel at a time.
    for (std::size_t j = 0; j < inner; ++j) {
      for (std::size_t channel = 0; channel < channels.size(); ++channel) {
        buffers[channel * capacity + filled + j] = row[channel * inner + j];
      }
    }
    filled += inner;
    if (filled < capacity && i + 1 < rows) continue;
    for (std::size_t channel = 0; channel < channels.size(); ++channel) {
      channels[channel].Add(std::span<const double>(buffers).subspan(channel * capacity, filled));
    }
    filled = 0;
  }
}

}  // namespace

Result<TensorStatistics> ComputeStatistics(const TensorView& given) {
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  StatisticsBuilder statistics;
  AddElements(tensor, 0, tensor.element_count(), statistics);
  return statistics.Build();
}

Result<std::vector<TensorStatistics>> ComputeChannelStatistics(const TensorView& given,
                                                               std::size_t axis) {
  CBOARD_ASSIGN_OR_RETURN(const PlainTensor plain, PlainTensor::Of(given));
  const TensorView& tensor = plain.view();
  if (axis >= tensor.shape.size()) {
    return Fail(ErrorCode::kInvalidArgument, "channel axis " + std::to_string(axis) +
                                                 " is not a dimension of a tensor of rank " +
                                                 std::to_string(tensor.shape.size()));
  }
  const std::size_t count = tensor.element_count();
  const auto channel_count = static_cast<std::size_t>(tensor.shape[axis]);
  // An empty tensor may have a shape with more channels than fit into memory.
  if (count == 0 && channel_count > (std::size_t{1} << 24)) {
    return Fail(ErrorCode::kInvalidArgument, "an empty tensor has " +
                                                 std::to_string(channel_count) +
                                                 " channels, but at most 16777216 are supported");
  }
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < tensor.shape.size(); ++i) {
    inner *= static_cast<std::size_t>(tensor.shape[i]);
  }

  std::vector<StatisticsBuilder> channels(channel_count);
  if (count > 0 && inner < kShortStretch) {
    AddGathered(tensor, inner, channels);
  } else {
    for (std::size_t first = 0, stretch = 0; first < count; first += inner, ++stretch) {
      AddElements(tensor, first, inner, channels[stretch % channel_count]);
    }
  }
  std::vector<TensorStatistics> statistics(channel_count);
  std::ranges::transform(channels, statistics.begin(), &StatisticsBuilder::Build);
  return statistics;
}

}  // namespace cboard::tensor
