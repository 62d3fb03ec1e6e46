// The weights and the bias of a layer, channel by channel.
#include <algorithm>

#include "cboard/base/strings.h"
#include "compression/model_comparison/attention_heads.h"
#include "compression/model_comparison/model_layers.h"

namespace cboard::compare {
namespace {

// A stored value may stand for any number of elements, and two bits are the least that others take:
// more than that is a size that somebody made up.
std::size_t MostElements(const ModelGraph& model) { return 8 * model.file_bytes(); }

std::size_t DirectionsOf(const ModelGraph& model, const ModelLayer& layer) {
  const auto axis = layer.layout.direction_axis;
  return axis ? static_cast<std::size_t>(model.tensor(layer.weight).shape[*axis]) : 1;
}

// The stored dimensions in the order that rows have: directions, channels, inputs, the others.
std::vector<std::size_t> RowOrderOf(const WeightLayout& layout, std::size_t rank) {
  std::vector<std::size_t> order;
  if (layout.direction_axis) order.push_back(*layout.direction_axis);
  order.push_back(layout.channel_axis);
  if (layout.input_axis) order.push_back(*layout.input_axis);
  for (std::size_t i = 0; i < rank; ++i) {
    if (std::ranges::find(order, i) == order.end()) order.push_back(i);
  }
  return order;
}

bool IsStoredAsRows(const ModelGraph& model, const ModelLayer& layer) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  std::vector<std::size_t> order = RowOrderOf(layer.layout, shape.size());
  std::erase_if(order, [&](std::size_t axis) { return shape[axis] == 1; });
  return layer.layout.channel_order.empty() && std::ranges::is_sorted(order);
}

// For each stored channel, the one that it is for the operator; empty when that is the same.
std::vector<std::size_t> PlacesOf(const WeightLayout& layout, std::size_t channels,
                                  std::size_t directions) {
  std::vector<std::size_t> places;
  if (layout.channel_order.empty()) return places;
  places.resize(channels);
  std::size_t next = 0;
  for (std::size_t direction = 0; direction < directions; ++direction) {
    const std::size_t begin = direction * (channels / directions);
    for (const ChannelRun& run : layout.channel_order) {
      for (std::size_t i = 0; i < run.count; ++i) places[begin + run.first + i] = next++;
    }
  }
  return places;
}

// Calls `visit(stored, place)` with the position of each weight in the file and among the rows.
template <typename Visit>
void ForEachWeight(const ModelGraph& model, const ModelLayer& layer, const Visit& visit) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  const auto length = [&](std::size_t axis) { return static_cast<std::size_t>(shape[axis]); };
  // How far a step along a stored dimension leads among the rows.
  std::vector<std::size_t> strides(shape.size());
  const std::vector<std::size_t> order = RowOrderOf(layer.layout, shape.size());
  std::size_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0; stride *= length(order[i])) {
    strides[order[i]] = stride;
  }
  const WeightSize size = SizeOf(model, layer);
  const std::size_t row = size.elements / size.channels;
  const std::vector<std::size_t> places =
      PlacesOf(layer.layout, size.channels, DirectionsOf(model, layer));
  std::vector<std::size_t> index(shape.size());
  std::size_t place = 0;
  for (std::size_t e = 0; e < size.elements; ++e) {
    visit(e, places.empty() ? place : places[place / row] * row + place % row);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      place += strides[axis];
      if (++index[axis] < length(axis)) break;
      place -= strides[axis] * length(axis);
      index[axis] = 0;
    }
  }
}

}  // namespace

WeightSize SizeOf(const ModelGraph& model, const ModelLayer& layer) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  WeightSize size{.channels = static_cast<std::size_t>(shape[layer.layout.channel_axis]) *
                              DirectionsOf(model, layer),
                  .elements = 1};
  for (const std::int64_t length : shape) size.elements *= static_cast<std::size_t>(length);
  return size;
}

Result<WeightRows> ReadRows(const ModelGraph& model, const ModelLayer& layer) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> stored,
                          model.ReadWeights(layer.weight, MostElements(model)));
  const WeightSize size = SizeOf(model, layer);
  if (stored.size() != size.elements) {
    return Fail(ErrorCode::kDataLoss, "the weights of " + Quoted(NameOf(model, layer)) + " have " +
                                          std::to_string(stored.size()) + " elements, but " +
                                          std::to_string(size.elements) + " by their shape");
  }
  WeightRows rows;
  rows.channels = size.channels;
  rows.row = stored.size() / rows.channels;
  if (IsStoredAsRows(model, layer)) {
    rows.values = std::move(stored);
    if (layer.paired_heads > 0) SplitPairs(layer.paired_heads, rows.row, rows.values);
    return rows;
  }
  rows.values.resize(stored.size());
  ForEachWeight(model, layer,
                [&](std::size_t from, std::size_t to) { rows.values[to] = stored[from]; });
  return rows;
}

std::vector<float> ToStoredOrder(const ModelGraph& model, const ModelLayer& layer,
                                 const WeightRows& rows) {
  std::vector<float> stored(rows.values.size());
  ForEachWeight(model, layer,
                [&](std::size_t to, std::size_t from) { stored[to] = rows.values[from]; });
  return stored;
}

Result<std::vector<float>> ReadBias(const ModelGraph& model, const ModelLayer& layer) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> bias,
                          model.ReadWeights(layer.bias, MostElements(model)));
  const std::size_t channels = SizeOf(model, layer).channels;
  const std::size_t directions = DirectionsOf(model, layer);
  if (layer.bias_half && bias.size() == 2 * channels) {
    const std::size_t each = channels / directions;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t first = 2 * (c / each) * each + c % each;
      bias[c] = layer.has_summed_bias ? bias[first] + bias[first + each]
                                      : bias[first + *layer.bias_half * each];
    }
    bias.resize(channels);
  }
  // Of other operators, a bias that is stored in another order is found by nobody.
  const bool is_of_gates = !layer.part.empty() && !layer.bias_half && bias.size() == channels;
  if (is_of_gates && !layer.layout.channel_order.empty()) {
    const std::vector<std::size_t> places = PlacesOf(layer.layout, channels, directions);
    std::vector<float> stored = bias;
    for (std::size_t c = 0; c < channels; ++c) bias[places[c]] = stored[c];
  }
  if (layer.paired_heads > 0 && bias.size() == channels) {
    SplitPairs(layer.paired_heads, 1, bias);
  }
  return bias;
}

}  // namespace cboard::compare
