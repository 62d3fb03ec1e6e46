#include "compare/layers/channel_layout.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace cboard::compare {
namespace {

// Maximum number of tensors to visit: the previous operator with channels is usually near.
constexpr std::size_t kMaxTensorsOnTheWay = 256;

template <std::size_t kCount>
bool IsOneOf(std::string_view op_type, const std::array<std::string_view, kCount>& names) {
  return std::ranges::find(names, op_type) != names.end();
}

// Returns true for operators whose output has the channels in the second dimension.
bool HasChannelsSecond(std::string_view op_type) {
  constexpr std::array<std::string_view, 7> kNames = {
      "Conv",      "ConvTranspose",      "ConvInteger",          "QLinearConv",
      "FusedConv", "BatchNormalization", "InstanceNormalization"};
  return IsOneOf(op_type, kNames);
}

// Returns true for operators whose output has the channels in the last dimension.
bool HasChannelsLast(std::string_view op_type) {
  constexpr std::array<std::string_view, 12> kNames = {"Gemm",
                                                       "MatMul",
                                                       "FusedMatMul",
                                                       "FusedGemm",
                                                       "MatMulNBits",
                                                       "MatMulInteger",
                                                       "LSTM",
                                                       "GRU",
                                                       "RNN",
                                                       "LayerNormalization",
                                                       "SkipLayerNormalization",
                                                       "SimplifiedLayerNormalization"};
  return IsOneOf(op_type, kNames);
}

bool IsSoftmax(std::string_view op_type) { return op_type == "Softmax" || op_type == "LogSoftmax"; }

bool IsReshape(std::string_view op_type) {
  constexpr std::array<std::string_view, 4> kNames = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
  return IsOneOf(op_type, kNames);
}

// Returns true for operators that define the channel axis of their output. The search for the axis
// ends at such an operator.
bool IsStart(std::string_view op_type) {
  return HasChannelsSecond(op_type) || HasChannelsLast(op_type) || IsSoftmax(op_type);
}

std::optional<std::int64_t> IntegerOf(const model::ModelNode& node, std::string_view key) {
  const model::AttributeValue* value = node.FindAttribute(key);
  const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

std::optional<std::size_t> AxisOf(const model::ModelNode& node, std::int64_t otherwise,
                                  std::size_t rank) {
  std::int64_t axis = IntegerOf(node, "axis").value_or(otherwise);
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

// Returns the stride of each dimension in elements.
std::vector<std::int64_t> StridesOf(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

}  // namespace

std::optional<ChannelLayout> ChannelTracer::Trace(model::TensorId tensor) const {
  Visited visited;
  return Trace(tensor, visited);
}

std::optional<ChannelLayout> ChannelTracer::Trace(model::TensorId tensor, Visited& visited) const {
  if (tensor == model::kNoTensor || visited.size() >= kMaxTensorsOnTheWay) return std::nullopt;
  if (!visited.insert(tensor).second) return std::nullopt;
  const model::NodeId producer = model_.tensor(tensor).producer;
  const std::vector<std::int64_t>* shape = shape_of_(tensor);
  if (producer == model::kNoNode || shape == nullptr || shape->empty()) return std::nullopt;
  std::optional<ChannelLayout> layout = TraceThrough(model_.node(producer), tensor, visited);
  if (!layout || layout->axis >= shape->size()) return std::nullopt;
  std::size_t channels = 0;
  for (const ChannelLayout::Branch& branch : layout->branches) channels += branch.channels;
  // Removes the list of branches if the number of channels has changed since the Concat, for
  // example by a Slice.
  if (channels != static_cast<std::size_t>((*shape)[layout->axis])) layout->branches.clear();
  return layout;
}

std::optional<ChannelLayout> ChannelTracer::TraceThrough(const model::ModelNode& node,
                                                         model::TensorId tensor,
                                                         Visited& visited) const {
  const std::vector<std::int64_t>& shape = *shape_of_(tensor);
  const std::size_t rank = shape.size();
  const std::string_view op_type = node.op_type;
  if (HasChannelsSecond(op_type)) return ChannelLayout{.axis = rank > 1 ? 1u : 0u};
  if (HasChannelsLast(op_type)) return ChannelLayout{.axis = rank - 1};
  if (IsSoftmax(op_type)) {
    const std::optional<std::size_t> axis = AxisOf(node, -1, rank);
    if (!axis) return std::nullopt;
    return ChannelLayout{.axis = *axis, .is_softmax = op_type == "Softmax"};
  }
  if (op_type == "Transpose") {
    std::optional<ChannelLayout> layout = TraceFirst(node, rank, visited);
    if (!layout) return std::nullopt;
    const model::AttributeValue* value = node.FindAttribute("perm");
    const auto* order = value == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(value);
    if (order == nullptr) {  // Without `perm`, dimensions are reversed.
      layout->axis = rank - 1 - layout->axis;
      return layout;
    }
    const auto place = std::ranges::find(*order, static_cast<std::int64_t>(layout->axis));
    if (place == order->end()) return std::nullopt;
    layout->axis = static_cast<std::size_t>(place - order->begin());
    return layout;
  }
  if (op_type == "Concat") return TraceConcat(node, rank, visited);
  if (IsReshape(op_type)) return TraceReshape(node, shape, visited);
  std::optional<ChannelLayout> layout = TraceFirst(node, rank, visited);
  if (layout && op_type != "Identity") layout->is_softmax = false;
  return layout;
}

// Traces operators that do not move dimensions: activations, arithmetic, pooling, Slice, Split, …
std::optional<ChannelLayout> ChannelTracer::TraceFirst(const model::ModelNode& node,
                                                       std::size_t rank, Visited& visited) const {
  for (const model::TensorId input : node.inputs) {
    if (input == model::kNoTensor || model_.IsWeight(input)) continue;
    const std::vector<std::int64_t>* shape = shape_of_(input);
    if (shape == nullptr || shape->size() != rank) continue;
    if (auto layout = Trace(input, visited)) return layout;
  }
  return std::nullopt;
}

std::optional<ChannelLayout> ChannelTracer::TraceConcat(const model::ModelNode& node,
                                                        std::size_t rank, Visited& visited) const {
  const std::optional<std::size_t> axis = AxisOf(node, 1, rank);
  if (!axis) return std::nullopt;
  std::optional<ChannelLayout> layout = TraceFirst(node, rank, visited);
  // Uses the axis of the Concat itself in two cases: if its inputs lead to no operator with
  // channels (a grid of anchors), or if they lead only to an operator with a single channel that
  // was reshaped into the batch dimension (the box decoder of YOLOv8).
  if ((!layout || layout->axis == 0) && *axis > 0) layout = ChannelLayout{.axis = *axis};
  if (!layout || layout->axis != *axis) return layout;  // The Concat joins positions, not channels.
  layout->branches.clear();
  layout->is_softmax = false;
  for (const model::TensorId input : node.inputs) {
    const std::vector<std::int64_t>* shape = input == model::kNoTensor ? nullptr : shape_of_(input);
    if (shape == nullptr || shape->size() != rank) return ChannelLayout{.axis = *axis};
    const model::ModelTensor& joined = model_.tensor(input);
    layout->branches.push_back({.node = joined.producer == model::kNoNode
                                            ? joined.name
                                            : model_.node(joined.producer).name,
                                .channels = static_cast<std::size_t>((*shape)[*axis])});
  }
  return layout;
}

// Examples: 1x18x10x10 -> 1x18x100 keeps the channel axis. 1x255x10x10 -> 1x3x85x10x10 splits it
// into 3 anchors and 85 channels.
std::optional<ChannelLayout> ChannelTracer::TraceReshape(const model::ModelNode& node,
                                                         const std::vector<std::int64_t>& shape,
                                                         Visited& visited) const {
  const model::TensorId input = node.inputs.empty() ? model::kNoTensor : node.inputs[0];
  std::optional<ChannelLayout> layout = Trace(input, visited);
  if (!layout) return std::nullopt;
  const std::vector<std::int64_t>& before = *shape_of_(input);
  const std::int64_t inner = StridesOf(before)[layout->axis];
  const std::int64_t outer = inner * before[layout->axis];
  const std::vector<std::int64_t> strides = StridesOf(shape);
  for (std::size_t i = shape.size(); i-- > 0;) {
    const bool is_within = strides[i] >= inner && strides[i] * shape[i] <= outer;
    if (!is_within || (shape[i] == 1 && before[layout->axis] != 1)) continue;
    layout->is_softmax = layout->is_softmax && shape[i] == before[layout->axis];
    layout->axis = i;
    return layout;
  }
  return std::nullopt;
}

std::vector<model::TensorId> ChannelTracer::TensorsOnTheWay(const model::ModelGraph& model,
                                                            model::TensorId tensor) {
  std::vector<model::TensorId> found = {tensor};
  std::unordered_set<model::TensorId> seen = {tensor};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const model::NodeId producer = model.tensor(found[i]).producer;
    if (producer == model::kNoNode || IsStart(model.node(producer).op_type)) continue;
    for (const model::TensorId input : model.node(producer).inputs) {
      if (found.size() >= kMaxTensorsOnTheWay) return found;
      if (input == model::kNoTensor || model.IsWeight(input) || !seen.insert(input).second)
        continue;
      found.push_back(input);
    }
  }
  return found;
}

}  // namespace cboard::compare
