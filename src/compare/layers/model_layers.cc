#include "compare/layers/model_layers.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "compare/layers/affine_steps.h"
#include "compare/layers/layer_operators.h"
#include "compare/layers/weight_origin.h"

namespace cboard::compare {
namespace {

model::TensorId At(const std::vector<model::TensorId>& ids, std::size_t i) {
  return i < ids.size() ? ids[i] : model::kNoTensor;
}

std::optional<float> ConstantOf(const model::ModelGraph& model, model::TensorId id) {
  if (!model.IsWeight(id)) return std::nullopt;
  const auto values = model.ReadWeights(id, 1);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front();
}

float BoundOf(const model::ModelGraph& model, const model::ModelNode& node, std::size_t input,
              std::string_view key, float otherwise) {
  if (const auto constant = ConstantOf(model, At(node.inputs, input))) return *constant;
  const model::AttributeValue* value = node.FindAttribute(key);
  const auto* number = value == nullptr ? nullptr : std::get_if<double>(value);
  return number == nullptr ? otherwise : static_cast<float>(*number);
}

}  // namespace

std::optional<ClampRange> ClampOf(const model::ModelGraph& model, const model::ModelNode& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (node.op_type == "Relu6") return ClampRange{0, 6};
  if (node.op_type == "Relu") return ClampRange{0, kInfinity};
  if (node.op_type != "Clip") return std::nullopt;
  return ClampRange{BoundOf(model, node, 1, "min", -kInfinity),
                    BoundOf(model, node, 2, "max", kInfinity)};
}

TensorUse::TensorUse(const model::ModelGraph& model)
    : model_(model), is_output_(model.tensors().size()) {
  for (const model::TensorId output : model.outputs()) is_output_[model::IndexOf(output)] = true;
}

model::NodeId TensorUse::OnlyConsumer(model::TensorId tensor) const {
  const auto consumers = model_.consumers(tensor);
  return consumers.size() != 1 || IsOutput(tensor) ? model::kNoNode : consumers[0];
}

namespace {

constexpr std::size_t kMaxSteps = 6;

// Returns the constant that `node` adds to `input`; kNoTensor if the node does not add a constant.
model::TensorId AddedConstant(const model::ModelGraph& model, const model::ModelNode& node,
                              model::TensorId input) {
  const bool is_add = node.op_type == "Add" || node.op_type == "AddV2" || node.op_type == "BiasAdd";
  if (!is_add || node.inputs.size() != 2) return model::kNoTensor;
  const model::TensorId other = node.inputs[node.inputs[0] == input ? 1 : 0];
  return model.IsWeight(other) ? other : model::kNoTensor;
}

// Extends the layer by the nodes behind it: an added bias, nodes that scale and shift channels, and
// an activation. Quantization may have turned the bias of a convolution into an Add.
void FollowFusedNodes(const model::ModelGraph& model, const TensorUse& use, ModelLayer& layer) {
  while (!layer.clamp && layer.steps.size() < kMaxSteps) {
    const model::NodeId next = use.OnlyConsumer(layer.output);
    if (next == model::kNoNode) return;
    const model::ModelNode& node = model.node(next);
    if (At(node.outputs, 0) == model::kNoTensor || node.parent != model.node(layer.node).parent)
      return;
    const model::TensorId added = AddedConstant(model, node, layer.output);
    if (added != model::kNoTensor && layer.bias == model::kNoTensor && layer.steps.empty()) {
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

std::optional<QuantizedTensor> QuantizerOf(const model::ModelGraph& model, model::TensorId tensor) {
  if (tensor == model::kNoTensor) return std::nullopt;
  const auto dequantized = [&](model::TensorId codes) {
    for (const model::NodeId consumer : model.consumers(codes)) {
      const model::ModelNode& node = model.node(consumer);
      if (node.op_type == "DequantizeLinear" && At(node.inputs, 0) == codes) {
        return At(node.outputs, 0);
      }
    }
    return model::kNoTensor;
  };
  if (model.tensor(tensor).quantization) {
    return QuantizedTensor{model::kNoTensor, tensor, dequantized(tensor)};
  }
  for (const model::NodeId consumer : model.consumers(tensor)) {
    const model::ModelNode& node = model.node(consumer);
    if (node.op_type != "QuantizeLinear" || At(node.inputs, 0) != tensor) continue;
    const model::TensorId codes = At(node.outputs, 0);
    if (codes == model::kNoTensor || !model.tensor(codes).quantization) continue;
    return QuantizedTensor{tensor, codes, dequantized(codes)};
  }
  return std::nullopt;
}

namespace {

// Returns true if all sizes are known and none is zero.
bool HasElements(const model::ModelTensor& tensor) {
  return std::ranges::all_of(tensor.shape, [](std::int64_t size) { return size > 0; });
}

std::size_t ElementsOf(const model::ModelTensor& tensor) {
  std::size_t count = tensor.has_shape ? 1 : 0;
  for (const std::int64_t size : tensor.shape) {
    count *= static_cast<std::size_t>(std::max<std::int64_t>(size, 0));
  }
  return count;
}

// Finds the layers of a file without nodes. Such a file only names its weights: each constant with
// two or more dimensions is a layer.
std::vector<ModelLayer> FindStoredWeights(const model::ModelGraph& model) {
  std::vector<ModelLayer> layers;
  for (std::size_t i = 0; i < model.tensors().size(); ++i) {
    const model::ModelTensor& tensor = model.tensors()[i];
    if (!tensor.is_constant || tensor.shape.size() < 2 || !HoldsRealNumbers(tensor.type)) continue;
    if (!HasElements(tensor)) continue;
    ModelLayer layer{.depth = i, .weight = static_cast<model::TensorId>(i)};
    layer.bias = model.FindTensor(std::string(LayerOfWeight(tensor.name)) + ".bias");
    layer.bytes = tensor.stored_bytes();
    if (layer.bias != model::kNoTensor) layer.bytes += model.tensor(layer.bias).stored_bytes();
    layers.push_back(layer);
  }
  return layers;
}

// Creates a layer; the caller sets its output and its quantization steps. Returns nullopt if the
// weights are computed at run time.
std::optional<ModelLayer> LayerOf(const model::ModelGraph& model, std::size_t position,
                                  const OperatorWeights& weights) {
  const model::ModelNode& node = model.nodes()[position];
  ModelLayer layer{.node = static_cast<model::NodeId>(position),
                   .part = weights.part,
                   .depth = position,
                   .operand = node.inputs[weights.weight],
                   .is_table = weights.is_table};
  std::optional<WeightOrigin> stored = FindWeightOrigin(model, layer.operand, weights.layout);
  if (!stored || !HasElements(model.tensor(stored->tensor))) return std::nullopt;
  layer.weight = stored->tensor;
  layer.layout = std::move(stored->layout);
  if (weights.bias && model.IsWeight(At(node.inputs, *weights.bias))) {
    layer.bias = node.inputs[*weights.bias];
    layer.bias_half = weights.bias_half;
    // A GRU may have an additional bias that does not belong to any gate.
    const bool is_of_gates = !weights.part.empty() && !weights.bias_half;
    if (is_of_gates && ElementsOf(model.tensor(layer.bias)) != SizeOf(model, layer).channels) {
      layer.bias = model::kNoTensor;
    }
  }
  return layer;
}

// Sets size and output of the first layer of a node; the other layers of the node have no output.
void CompleteFirst(const model::ModelGraph& model, const TensorUse& use,
                   std::span<ModelLayer> layers) {
  ModelLayer& first = layers[0];
  const model::ModelNode& node = model.node(first.node);
  first.bytes = node.weight_bytes;
  for (ModelLayer& other : layers.subspan(1)) {
    const model::ModelTensor& stored = model.tensor(model.tensor(other.weight).source);
    other.bytes = std::min(stored.stored_bytes(), first.bytes);
    first.bytes -= other.bytes;
  }
  const auto output =
      std::ranges::find_if(node.outputs, [](model::TensorId id) { return id != model::kNoTensor; });
  first.output = first.product = first.sum = *output;
  // If the operator has several weights or is a lookup table, the nodes behind it are not part of
  // the layer.
  if (first.part.empty() && !first.is_table) FollowFusedNodes(model, use, first);
  first.quantized = QuantizerOf(model, first.output);
}

}  // namespace

std::vector<ModelLayer> FindWeightLayers(const model::ModelGraph& model) {
  if (model.nodes().empty()) return FindStoredWeights(model);
  const TensorUse use(model);
  std::vector<ModelLayer> layers;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const std::vector<model::TensorId>& outputs = model.nodes()[i].outputs;
    if (std::ranges::all_of(outputs, [](model::TensorId id) { return id == model::kNoTensor; }))
      continue;
    const std::size_t before = layers.size();
    for (const OperatorWeights& weights : WeightsOf(model, model.nodes()[i])) {
      if (auto layer = LayerOf(model, i, weights)) layers.push_back(*std::move(layer));
    }
    const std::span<ModelLayer> added = std::span(layers).subspan(before);
    if (!added.empty()) CompleteFirst(model, use, added);
  }
  return layers;
}

void CutSteps(const model::ModelGraph& model, std::size_t count, ModelLayer& layer) {
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

std::string NameOf(const model::ModelGraph& model, const ModelLayer& layer) {
  if (layer.node == model::kNoNode)
    return std::string(LayerOfWeight(model.tensor(layer.weight).name));
  const std::string& node = model.node(layer.node).name;
  return layer.part.empty() ? node : node + "/" + std::string(layer.part);
}

bool IsInBody(const model::ModelGraph& model, const ModelLayer& layer) {
  return layer.node != model::kNoNode && model.node(layer.node).parent != model::kNoNode;
}

std::string_view OperatorOf(const model::ModelGraph& model, const ModelLayer& layer) {
  return layer.node == model::kNoNode ? "weights"
                                      : std::string_view(model.node(layer.node).op_type);
}

std::string_view WithoutQuantizationSuffix(std::string_view name) {
  constexpr auto kSuffixes = std::to_array<std::string_view>(
      {"_DequantizeLinear_Output", "_QuantizeLinear_Output", "_QuantizeLinear_Input",
       "_DequantizeLinear", "_QuantizeLinear", "_qint8_const", "_dequantized", "_dequantize",
       "_quantized", "_quant", "_Q2", "_Q4", "_Q8", "_int8", "_DQ"});
  // Removes suffixes that TensorFlow appends to names: _eightbit_requantize,
  // _eightbit_quantized_conv, …
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
