// The layout of an operator's weights: which dimensions are its output channels.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace cboard::compare {

// Consecutive channels.
struct ChannelRun {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ChannelRun&, const ChannelRun&) = default;
};

struct WeightLayout {
  std::size_t channel_axis = 0;  // Dimension of the output channels.
  // The dimension of input channels, for convolutions that store them behind height and width.
  std::optional<std::size_t> input_axis;
  // The dimension of directions, for recurrent weights with two of them. Each direction has its own
  // channels; those of the first come first.
  std::optional<std::size_t> direction_axis;
  // The stored channels in the order of comparison: the order of the operator or, for gates, of
  // ONNX. Each channel appears once, in the same order for each direction. Empty if channels are
  // stored in this order.
  std::vector<ChannelRun> channel_order;

  friend bool operator==(const WeightLayout&, const WeightLayout&) = default;
};

}  // namespace cboard::compare
