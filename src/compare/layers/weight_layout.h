// How the weights of an operator lie: which dimensions make up its output channels.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace cboard::compare {

// Channels that lie one behind the other.
struct ChannelRun {
  std::size_t first = 0;
  std::size_t count = 0;
  friend bool operator==(const ChannelRun&, const ChannelRun&) = default;
};

struct WeightLayout {
  std::size_t channel_axis = 0;  // Dimension of the output channels.
  // Convolutions whose weights have input channels behind height and width: the dimension of these.
  std::optional<std::size_t> input_axis;
  // Recurrent weights of two directions: the dimension of these. Each has channels of its own, and
  // those of the first come first.
  std::optional<std::size_t> direction_axis;
  // The stored channels in the order in which they are compared, which is that of the operator or,
  // of gates, that of ONNX: each once, of one direction and of the others alike. Empty when that is
  // the order in which they are stored.
  std::vector<ChannelRun> channel_order;

  friend bool operator==(const WeightLayout&, const WeightLayout&) = default;
};

}  // namespace cboard::compare
