#include "compare/layers/float_operators.h"

#include <string_view>
#include <vector>

namespace cboard::compare {
namespace {

model::TensorId TensorAt(const std::vector<model::TensorId>& tensors, std::size_t i) {
  return i < tensors.size() ? tensors[i] : model::kNoTensor;
}

const model::ModelNode* ProducerOf(const model::ModelGraph& model, model::TensorId tensor,
                                   std::string_view op_type) {
  const model::NodeId producer =
      tensor == model::kNoTensor ? model::kNoNode : model.tensor(tensor).producer;
  if (producer == model::kNoNode || model.node(producer).op_type != op_type) return nullptr;
  return &model.node(producer);
}

// Returns the only node that reads `tensor` if it has this operator and one output; otherwise null.
const model::ModelNode* OnlyUse(const model::ModelGraph& model, model::TensorId tensor,
                                std::string_view op_type) {
  if (tensor == model::kNoTensor) return nullptr;
  const auto consumers = model.consumers(tensor);
  if (consumers.size() != 1) return nullptr;
  const model::ModelNode& node = model.node(consumers[0]);
  const bool is_it = node.op_type == op_type && node.outputs.size() == 1;
  return is_it && node.outputs[0] != model::kNoTensor ? &node : nullptr;
}

// Recognizes dynamic quantization: x -> DynamicQuantizeLinear -> MatMulInteger -> Cast -> Mul by
// the product of both scales.
std::optional<FloatProduct> ProductOfIntegers(const model::ModelGraph& model,
                                              const model::ModelNode& node) {
  const model::TensorId codes = TensorAt(node.inputs, 0);
  const model::ModelNode* const dynamic = ProducerOf(model, codes, "DynamicQuantizeLinear");
  if (dynamic == nullptr || TensorAt(dynamic->outputs, 0) != codes) return std::nullopt;
  const model::TensorId left = TensorAt(dynamic->inputs, 0);
  const model::ModelNode* const cast = OnlyUse(model, TensorAt(node.outputs, 0), "Cast");
  if (left == model::kNoTensor || cast == nullptr) return std::nullopt;
  const model::ModelNode* const scaled = OnlyUse(model, cast->outputs[0], "Mul");
  if (scaled == nullptr || scaled->inputs.size() != 2) return std::nullopt;
  const model::TensorId scale = scaled->inputs[scaled->inputs[0] == cast->outputs[0] ? 1 : 0];
  const model::ModelNode* const scales = ProducerOf(model, scale, "Mul");
  if (scales == nullptr || scales->inputs.size() != 2) return std::nullopt;
  const bool is_first = scales->inputs[0] == TensorAt(dynamic->outputs, 1);
  if (!is_first && scales->inputs[1] != TensorAt(dynamic->outputs, 1)) return std::nullopt;
  if (!model.IsWeight(scales->inputs[is_first ? 1 : 0])) return std::nullopt;
  return FloatProduct{.left = left,
                      .output = scaled->outputs[0],
                      .dynamic = model.tensor(codes).producer,
                      .sums = node.outputs[0],
                      .cast = cast->outputs[0]};
}

}  // namespace

bool IsFloat(const model::ModelTensor& tensor) {
  return !tensor.quantization && (tensor.type == DType::kFloat32 || tensor.type == DType::kUnknown);
}

std::optional<FloatProduct> ProductInsteadOf(const model::ModelGraph& model,
                                             const ModelLayer& layer) {
  const model::ModelNode& node = model.node(layer.node);
  std::optional<FloatProduct> product;
  if (node.op_type == "MatMulNBits" && layer.layout.channel_axis == 0 &&
      TensorAt(node.inputs, 5) == model::kNoTensor &&
      TensorAt(node.inputs, 0) != model::kNoTensor) {
    product = FloatProduct{.left = node.inputs[0], .output = layer.product};
  } else if (node.op_type == "MatMulInteger" && model.tensor(layer.operand).shape.size() == 2) {
    product = ProductOfIntegers(model, node);
  }
  if (!product || !IsFloat(model.tensor(product->left))) return std::nullopt;
  return product;
}

std::optional<FloatProduct> ConvInsteadOf(const model::ModelGraph& model, const ModelLayer& layer) {
  const model::ModelNode& node = model.node(layer.node);
  if (node.op_type != "ConvInteger") return std::nullopt;
  const auto product = ProductOfIntegers(model, node);
  if (!product || !IsFloat(model.tensor(product->left))) return std::nullopt;
  return product;
}

bool CanBecomeLstm(const model::ModelGraph& model, const ModelLayer& layer) {
  const model::ModelNode& node = model.node(layer.node);
  if (node.op_type != "DynamicQuantizeLSTM") return false;
  const auto is_stored = [&](std::size_t input) {
    const model::TensorId tensor = TensorAt(node.inputs, input);
    return tensor != model::kNoTensor && model.tensor(tensor).source == tensor &&
           model.tensor(tensor).shape.size() == 3;
  };
  const auto is_float = [&](std::size_t input) {
    const model::TensorId tensor = TensorAt(node.inputs, input);
    return tensor == model::kNoTensor || IsFloat(model.tensor(tensor));
  };
  // Inputs of DynamicQuantizeLSTM: X, W, R, B, sequence lengths, initial h, initial c, peepholes.
  return TensorAt(node.inputs, 0) != model::kNoTensor && is_stored(1) && is_stored(2) &&
         is_float(0) && is_float(3) && is_float(5) && is_float(6) && is_float(7);
}

}  // namespace cboard::compare
