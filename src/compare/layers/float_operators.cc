#include "compare/layers/float_operators.h"

#include <string_view>
#include <vector>

namespace cboard::compare {
namespace {

TensorId TensorAt(const std::vector<TensorId>& tensors, std::size_t i) {
  return i < tensors.size() ? tensors[i] : kNoTensor;
}

const ModelNode* ProducerOf(const ModelGraph& model, TensorId tensor, std::string_view op_type) {
  const NodeId producer = tensor == kNoTensor ? kNoNode : model.tensor(tensor).producer;
  if (producer == kNoNode || model.node(producer).op_type != op_type) return nullptr;
  return &model.node(producer);
}

// The only node that uses `tensor`, if that is this operator with one output.
const ModelNode* OnlyUse(const ModelGraph& model, TensorId tensor, std::string_view op_type) {
  if (tensor == kNoTensor) return nullptr;
  const auto consumers = model.consumers(tensor);
  if (consumers.size() != 1) return nullptr;
  const ModelNode& node = model.node(consumers[0]);
  const bool is_it = node.op_type == op_type && node.outputs.size() == 1;
  return is_it && node.outputs[0] != kNoTensor ? &node : nullptr;
}

// x -> DynamicQuantizeLinear -> MatMulInteger -> Cast -> Mul by the product of both scales.
std::optional<FloatProduct> ProductOfIntegers(const ModelGraph& model, const ModelNode& node) {
  const TensorId codes = TensorAt(node.inputs, 0);
  const ModelNode* const dynamic = ProducerOf(model, codes, "DynamicQuantizeLinear");
  if (dynamic == nullptr || TensorAt(dynamic->outputs, 0) != codes) return std::nullopt;
  const TensorId left = TensorAt(dynamic->inputs, 0);
  const ModelNode* const cast = OnlyUse(model, TensorAt(node.outputs, 0), "Cast");
  if (left == kNoTensor || cast == nullptr) return std::nullopt;
  const ModelNode* const scaled = OnlyUse(model, cast->outputs[0], "Mul");
  if (scaled == nullptr || scaled->inputs.size() != 2) return std::nullopt;
  const TensorId scale = scaled->inputs[scaled->inputs[0] == cast->outputs[0] ? 1 : 0];
  const ModelNode* const scales = ProducerOf(model, scale, "Mul");
  if (scales == nullptr || scales->inputs.size() != 2) return std::nullopt;
  const bool is_first = scales->inputs[0] == TensorAt(dynamic->outputs, 1);
  if (!is_first && scales->inputs[1] != TensorAt(dynamic->outputs, 1)) return std::nullopt;
  if (!model.IsWeight(scales->inputs[is_first ? 1 : 0])) return std::nullopt;
  return FloatProduct{.left = left, .output = scaled->outputs[0]};
}

}  // namespace

bool IsFloat(const ModelTensor& tensor) {
  return !tensor.quantization &&
         (tensor.type == ElementType::kFloat32 || tensor.type == ElementType::kUnknown);
}

std::optional<FloatProduct> ProductInsteadOf(const ModelGraph& model, const ModelLayer& layer) {
  const ModelNode& node = model.node(layer.node);
  std::optional<FloatProduct> product;
  if (node.op_type == "MatMulNBits" && layer.layout.channel_axis == 0 &&
      TensorAt(node.inputs, 5) == kNoTensor && TensorAt(node.inputs, 0) != kNoTensor) {
    product = FloatProduct{.left = node.inputs[0], .output = layer.product};
  } else if (node.op_type == "MatMulInteger" && model.tensor(layer.operand).shape.size() == 2) {
    product = ProductOfIntegers(model, node);
  }
  if (!product || !IsFloat(model.tensor(product->left))) return std::nullopt;
  return product;
}

bool CanBecomeLstm(const ModelGraph& model, const ModelLayer& layer) {
  const ModelNode& node = model.node(layer.node);
  if (node.op_type != "DynamicQuantizeLSTM") return false;
  const auto is_stored = [&](std::size_t input) {
    const TensorId tensor = TensorAt(node.inputs, input);
    return tensor != kNoTensor && model.tensor(tensor).source == tensor &&
           model.tensor(tensor).shape.size() == 3;
  };
  const auto is_float = [&](std::size_t input) {
    const TensorId tensor = TensorAt(node.inputs, input);
    return tensor == kNoTensor || IsFloat(model.tensor(tensor));
  };
  // X, W, R, B, the lengths of sequences, both first states, peepholes.
  return TensorAt(node.inputs, 0) != kNoTensor && is_stored(1) && is_stored(2) && is_float(0) &&
         is_float(3) && is_float(5) && is_float(6) && is_float(7);
}

}  // namespace cboard::compare
