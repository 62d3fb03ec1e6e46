#include "compression/model_comparison/model_layers.h"

#include <algorithm>
#include <array>
#include <limits>

#include "cboard/base/strings.h"
#include "compression/model_comparison/affine_steps.h"
#include "compression/model_comparison/attention_heads.h"
#include "compression/model_comparison/layer_operators.h"
#include "compression/model_comparison/weight_origin.h"

namespace cboard::compare {
namespace {

TensorId At(const std::vector<TensorId>& ids, std::size_t i) {
  return i < ids.size() ? ids[i] : kNoTensor;
}

std::optional<float> ConstantOf(const ModelGraph& model, TensorId id) {
  if (!model.IsWeight(id)) return std::nullopt;
  const auto values = model.ReadWeights(id, 1);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front();
}

float BoundOf(const ModelGraph& model, const ModelNode& node, std::size_t input,
              std::string_view key, float otherwise) {
  if (const auto constant = ConstantOf(model, At(node.inputs, input))) return *constant;
  const AttributeValue* value = node.FindAttribute(key);
  const auto* number = value == nullptr ? nullptr : std::get_if<double>(value);
  return number == nullptr ? otherwise : static_cast<float>(*number);
}

}  // namespace

std::optional<ClampRange> ClampOf(const ModelGraph& model, const ModelNode& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (node.op_type == "Relu6") return ClampRange{0, 6};
  if (node.op_type == "Relu") return ClampRange{0, kInfinity};
  if (node.op_type != "Clip") return std::nullopt;
  return ClampRange{BoundOf(model, node, 1, "min", -kInfinity),
                    BoundOf(model, node, 2, "max", kInfinity)};
}

TensorUse::TensorUse(const ModelGraph& model) : model_(model), is_output_(model.tensors().size()) {
  for (const TensorId output : model.outputs()) is_output_[IndexOf(output)] = true;
}

NodeId TensorUse::OnlyConsumer(TensorId tensor) const {
  const auto consumers = model_.consumers(tensor);
  return consumers.size() != 1 || IsOutput(tensor) ? kNoNode : consumers[0];
}

namespace {

constexpr std::size_t kMaxSteps = 6;

// The constant that an Add gives to `input`, or kNoTensor.
TensorId AddedConstant(const ModelGraph& model, const ModelNode& node, TensorId input) {
  const bool is_add = node.op_type == "Add" || node.op_type == "AddV2" || node.op_type == "BiasAdd";
  if (!is_add || node.inputs.size() != 2) return kNoTensor;
  const TensorId other = node.inputs[node.inputs[0] == input ? 1 : 0];
  return model.IsWeight(other) ? other : kNoTensor;
}

// Moves the output behind an added constant, normalization and its like, and activation. A
// convolution's bias that quantization made an Add of its own is one of these.
void FollowFusedNodes(const ModelGraph& model, const TensorUse& use, ModelLayer& layer) {
  while (!layer.clamp && layer.steps.size() < kMaxSteps) {
    const NodeId next = use.OnlyConsumer(layer.output);
    if (next == kNoNode) return;
    const ModelNode& node = model.node(next);
    if (At(node.outputs, 0) == kNoTensor || node.parent != kNoNode) return;
    const TensorId added = AddedConstant(model, node, layer.output);
    if (added != kNoTensor && layer.bias == kNoTensor && layer.steps.empty()) {
      layer.bias = added;
      layer.has_added_bias = true;
      layer.sum = node.outputs[0];
    } else if (const auto clamp = ClampOf(model, node)) {
      layer.clamp = clamp;
    } else if (IsAffine(model, layer, node)) {
      layer.steps.push_back({next, node.outputs[0]});
    } else {
      return;
    }
    layer.output = node.outputs[0];
  }
}

}  // namespace

std::optional<QuantizedTensor> QuantizerOf(const ModelGraph& model, TensorId tensor) {
  if (tensor == kNoTensor) return std::nullopt;
  const auto dequantized = [&](TensorId codes) {
    for (const NodeId consumer : model.consumers(codes)) {
      const ModelNode& node = model.node(consumer);
      if (node.op_type == "DequantizeLinear" && At(node.inputs, 0) == codes) {
        return At(node.outputs, 0);
      }
    }
    return kNoTensor;
  };
  if (model.tensor(tensor).quantization) {
    return QuantizedTensor{kNoTensor, tensor, dequantized(tensor)};
  }
  for (const NodeId consumer : model.consumers(tensor)) {
    const ModelNode& node = model.node(consumer);
    if (node.op_type != "QuantizeLinear" || At(node.inputs, 0) != tensor) continue;
    const TensorId codes = At(node.outputs, 0);
    if (codes == kNoTensor || !model.tensor(codes).quantization) continue;
    return QuantizedTensor{tensor, codes, dequantized(codes)};
  }
  return std::nullopt;
}

namespace {

// All sizes are known, and none is zero.
bool HasElements(const ModelTensor& tensor) {
  return std::ranges::all_of(tensor.shape, [](std::int64_t size) { return size > 0; });
}

// Files without nodes say only how weights are called: each of two dimensions or more is a layer.
std::vector<ModelLayer> FindStoredWeights(const ModelGraph& model) {
  std::vector<ModelLayer> layers;
  for (std::size_t i = 0; i < model.tensors().size(); ++i) {
    const ModelTensor& tensor = model.tensors()[i];
    if (!tensor.is_constant || tensor.shape.size() < 2 || !HoldsRealNumbers(tensor.type)) continue;
    if (!HasElements(tensor)) continue;
    ModelLayer layer{.depth = i, .weight = static_cast<TensorId>(i)};
    layer.bias = model.FindTensor(std::string(LayerOfWeight(tensor.name)) + ".bias");
    layers.push_back(layer);
  }
  return layers;
}

}  // namespace

std::vector<ModelLayer> FindWeightLayers(const ModelGraph& model) {
  if (model.nodes().empty()) return FindStoredWeights(model);
  const TensorUse use(model);
  std::vector<ModelLayer> layers;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const ModelNode& node = model.nodes()[i];
    const std::optional<OperatorWeights> weights = WeightsOf(model, node);
    if (!weights || node.parent != kNoNode) continue;
    ModelLayer layer{
        .node = static_cast<NodeId>(i), .depth = i, .operand = node.inputs[weights->weight]};
    const std::optional<WeightOrigin> stored =
        FindWeightOrigin(model, layer.operand, weights->channel_axis, weights->input_axis);
    layer.output = layer.product = layer.sum = At(node.outputs, 0);
    if (!stored || layer.output == kNoTensor) continue;
    layer.weight = stored->tensor;
    layer.channel_axis = stored->channel_axis;
    layer.input_axis = stored->input_axis;
    if (!HasElements(model.tensor(layer.weight))) continue;
    if (weights->bias && model.IsWeight(At(node.inputs, *weights->bias))) {
      layer.bias = node.inputs[*weights->bias];
    }
    FollowFusedNodes(model, use, layer);
    layer.quantized = QuantizerOf(model, layer.output);
    layers.push_back(layer);
  }
  return layers;
}

void CutSteps(const ModelGraph& model, std::size_t count, ModelLayer& layer) {
  if (count >= layer.steps.size()) return;
  layer.output = count == 0 ? layer.sum : layer.steps[count - 1].output;
  layer.steps.resize(count);
  layer.clamp.reset();
  layer.quantized = QuantizerOf(model, layer.output);
}

std::string_view LayerOfWeight(std::string_view tensor) {
  constexpr std::string_view kWeight = ".weight";
  if (tensor.size() > kWeight.size() && tensor.ends_with(kWeight)) {
    tensor.remove_suffix(kWeight.size());
  }
  return tensor;
}

std::string_view NameOf(const ModelGraph& model, const ModelLayer& layer) {
  if (layer.node != kNoNode) return model.node(layer.node).name;
  return LayerOfWeight(model.tensor(layer.weight).name);
}

std::string_view OperatorOf(const ModelGraph& model, const ModelLayer& layer) {
  return layer.node == kNoNode ? "weights" : std::string_view(model.node(layer.node).op_type);
}

std::uint64_t BytesOf(const ModelGraph& model, const ModelLayer& layer) {
  if (layer.node != kNoNode) return model.node(layer.node).weight_bytes;
  std::uint64_t bytes = model.tensor(layer.weight).data.size();
  if (layer.bias != kNoTensor) bytes += model.tensor(layer.bias).data.size();
  return bytes;
}

WeightSize SizeOf(const ModelGraph& model, const ModelLayer& layer) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  WeightSize size{.channels = static_cast<std::size_t>(shape[layer.channel_axis]), .elements = 1};
  for (const std::int64_t length : shape) size.elements *= static_cast<std::size_t>(length);
  return size;
}

namespace {

// Calls `visit(stored, place)` with the position of each weight in the file and among the rows.
template <typename Visit>
void ForEachWeight(const ModelGraph& model, const ModelLayer& layer, const Visit& visit) {
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  const auto length = [&](std::size_t axis) { return static_cast<std::size_t>(shape[axis]); };
  const WeightSize size = SizeOf(model, layer);
  const std::size_t row = size.elements / size.channels;
  std::size_t inner = 1;
  for (std::size_t i = layer.channel_axis + 1; i < shape.size(); ++i) inner *= length(i);
  // Element (o, c, i) of [outer, channels, inner] is element o * inner + i of row c; where input
  // channels are the last of these, they become the first.
  const std::size_t inputs = layer.input_axis ? length(*layer.input_axis) : 1;
  const std::size_t pixels = row / inputs;
  for (std::size_t e = 0; e < size.elements; ++e) {
    const std::size_t c = e / inner % size.channels;
    std::size_t place = e / inner / size.channels * inner + e % inner;
    if (layer.input_axis) place = place % inputs * pixels + place / inputs;
    visit(e, c * row + place);
  }
}

}  // namespace

Result<WeightRows> ReadRows(const ModelGraph& model, const ModelLayer& layer) {
  // A stored value may stand for any number of elements, and two bits are the least that others
  // take: more than that is a size that somebody made up.
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> stored,
                          model.ReadWeights(layer.weight, 8 * model.file_bytes()));
  const WeightSize size = SizeOf(model, layer);
  if (stored.size() != size.elements) {
    return Fail(ErrorCode::kDataLoss, "the weights of " + Quoted(NameOf(model, layer)) + " have " +
                                          std::to_string(stored.size()) + " elements, but " +
                                          std::to_string(size.elements) + " by their shape");
  }
  WeightRows rows;
  rows.channels = size.channels;
  rows.row = stored.size() / rows.channels;
  if (layer.channel_axis == 0 && !layer.input_axis) {
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
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> bias, model.ReadWeights(layer.bias));
  if (layer.paired_heads > 0 && bias.size() == SizeOf(model, layer).channels) {
    SplitPairs(layer.paired_heads, 1, bias);
  }
  return bias;
}

std::string_view WithoutQuantizationSuffix(std::string_view name) {
  constexpr auto kSuffixes = std::to_array<std::string_view>(
      {"_DequantizeLinear_Output", "_QuantizeLinear_Output", "_QuantizeLinear_Input",
       "_DequantizeLinear", "_QuantizeLinear", "_qint8_const", "_dequantized", "_dequantize",
       "_quantized", "_quant", "_Q4", "_Q8", "_int8", "_DQ"});
  // TensorFlow's: _eightbit_requantize, _eightbit_quantized_conv, …
  if (const std::size_t at = name.rfind("_eightbit_"); at != std::string_view::npos && at > 0) {
    name = name.substr(0, at);
  }
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view suffix : kSuffixes) {
      if (name.size() <= suffix.size() || !name.ends_with(suffix)) continue;
      name.remove_suffix(suffix.size());
      found = true;
    }
  }
  return name;
}

}  // namespace cboard::compare
