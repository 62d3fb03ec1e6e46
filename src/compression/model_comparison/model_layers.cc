#include "compression/model_comparison/model_layers.h"

#include <algorithm>
#include <array>
#include <limits>

namespace cboard::compare {
namespace {

// Operators with weights: which inputs are weight and bias, which dimension is that of output
// channels (from the end when negative).
struct WeightedOp {
  std::string_view op;
  std::size_t weight;
  std::size_t bias;  // 0: none.
  int axis;
};
constexpr WeightedOp kWeightedOps[] = {
    {"Conv", 1, 2, 0},
    {"ConvTranspose", 1, 2, 1},
    {"Gemm", 1, 2, 1},
    {"MatMul", 1, 0, -1},
    {"QLinearConv", 3, 8, 0},
    {"QLinearMatMul", 3, 0, -1},
    {"QGemm", 3, 6, 1},
    {"MatMulInteger", 1, 0, -1},
    {"ConvInteger", 1, 0, 0},
    {"MatMulNBits", 1, 0, 0},
    {"DynamicQuantizeMatMul", 1, 4, -1},
    {"FusedConv", 1, 2, 0},
    {"FusedMatMul", 1, 0, -1},
};

TensorId At(const std::vector<TensorId>& ids, std::size_t i) {
  return i < ids.size() ? ids[i] : kNoTensor;
}

bool FlagOf(const ModelNode& node, std::string_view key) {
  const AttributeValue* value = node.FindAttribute(key);
  const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return integer != nullptr && *integer != 0;
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
  if (node.op_type == "Relu") return ClampRange{0, kInfinity};
  if (node.op_type != "Clip") return std::nullopt;
  return ClampRange{BoundOf(model, node, 1, "min", -kInfinity),
                    BoundOf(model, node, 2, "max", kInfinity)};
}

NodeId OnlyConsumer(const ModelGraph& model, TensorId tensor) {
  const auto consumers = model.consumers(tensor);
  if (consumers.size() != 1 || std::ranges::count(model.outputs(), tensor) > 0) return kNoNode;
  return consumers[0];
}

namespace {

// Moves the output behind normalization, an added constant, and activation. A convolution's bias
// that quantization made an Add of its own is one of these.
void FollowFusedNodes(const ModelGraph& model, ModelLayer& layer) {
  for (int i = 0; i < 4; ++i) {
    const NodeId next = OnlyConsumer(model, layer.output);
    if (next == kNoNode) return;
    const ModelNode& node = model.node(next);
    if (At(node.outputs, 0) == kNoTensor || node.parent != kNoNode) return;
    if (node.op_type == "Add" && node.inputs.size() == 2) {
      const TensorId other = node.inputs[node.inputs[0] == layer.output ? 1 : 0];
      if (!model.IsWeight(other) || layer.bias != kNoTensor) return;
      layer.bias = other;
      layer.has_added_bias = true;
    } else if (const auto clamp = ClampOf(model, node)) {
      layer.clamp = clamp;
    } else if (node.op_type == "BatchNormalization") {
      layer.is_normalized = true;
    } else {
      return;
    }
    layer.output = node.outputs[0];
    if (layer.clamp) return;
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

std::vector<ModelLayer> FindWeightLayers(const ModelGraph& model) {
  std::vector<ModelLayer> layers;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const ModelNode& node = model.nodes()[i];
    const auto* op = std::ranges::find(kWeightedOps, node.op_type, &WeightedOp::op);
    if (op == std::end(kWeightedOps) || node.parent != kNoNode) continue;
    ModelLayer layer{.node = static_cast<NodeId>(i), .depth = i};
    layer.weight = At(node.inputs, op->weight);
    layer.output = layer.product = At(node.outputs, 0);
    if (!model.IsWeight(layer.weight) || layer.output == kNoTensor) continue;
    const std::size_t rank = model.tensor(layer.weight).shape.size();
    if (rank < 2) continue;
    layer.channel_axis = op->axis < 0 ? rank - 1 : static_cast<std::size_t>(op->axis);
    if (node.op_type.ends_with("Gemm") && FlagOf(node, "transB")) layer.channel_axis = 0;
    if (const TensorId bias = At(node.inputs, op->bias); op->bias > 0 && model.IsWeight(bias)) {
      layer.bias = bias;
    }
    FollowFusedNodes(model, layer);
    layer.quantized = QuantizerOf(model, layer.output);
    layers.push_back(layer);
  }
  return layers;
}

Result<WeightRows> ReadRows(const ModelGraph& model, const ModelLayer& layer) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> stored, model.ReadWeights(layer.weight));
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  WeightRows rows;
  rows.channels = static_cast<std::size_t>(shape[layer.channel_axis]);
  rows.row = rows.channels == 0 ? 0 : stored.size() / rows.channels;
  if (layer.channel_axis == 0) {
    rows.values = std::move(stored);
    return rows;
  }
  std::size_t inner = 1;
  for (std::size_t i = layer.channel_axis + 1; i < shape.size(); ++i) {
    inner *= static_cast<std::size_t>(shape[i]);
  }
  if (stored.empty()) return rows;
  const std::size_t outer = rows.row / inner;
  rows.values.resize(stored.size());
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t c = 0; c < rows.channels; ++c) {
      const float* from = stored.data() + (o * rows.channels + c) * inner;
      std::copy(from, from + inner, rows.values.data() + c * rows.row + o * inner);
    }
  }
  return rows;
}

std::string_view WithoutQuantizationSuffix(std::string_view name) {
  constexpr auto kSuffixes = std::to_array<std::string_view>(
      {"_DequantizeLinear_Output", "_QuantizeLinear_Output", "_QuantizeLinear_Input",
       "_DequantizeLinear", "_QuantizeLinear", "_dequantized", "_quantized", "_quant", "_Q4", "_Q8",
       "_int8", "_DQ"});
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
