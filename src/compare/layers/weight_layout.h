// The layout of an operator's weights: which dimensions are its output channels.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace cboard::compare {

// A range of consecutive channels: `count` channels from channel `first` on.
struct ChannelRun {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ChannelRun&, const ChannelRun&) = default;
};

struct WeightLayout {
  std::size_t channel_axis = 0;  // Dimension of the output channels.
  // Dimension of the input channels, for convolutions that store it behind height and width.
  std::optional<std::size_t> input_axis;
  // Dimension of the directions, for recurrent weights that have this dimension. Each direction has
  // its own channels; the channels of the first direction come first.
  std::optional<std::size_t> direction_axis;
  // The order in which stored channels are read for a comparison: the operator's order or, for
  // gates, ONNX's order. Each channel appears once; all directions have the same order. Empty if
  // the channels are already stored in the required order.
  std::vector<ChannelRun> channel_order;

  friend bool operator==(const WeightLayout&, const WeightLayout&) = default;
};

}  // namespace cboard::compare
