#include "compare/layers/quantizers.h"

namespace cboard::compare {

bool IsQuantizer(const model::ModelNode& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == "QUANTIZE";
}

bool IsDequantizer(const model::ModelNode& node) {
  return node.op_type == "DequantizeLinear" || node.op_type == "DEQUANTIZE";
}

const model::ModelQuantization* QuantizationOf(const model::ModelGraph& model, model::TensorId id) {
  if (id == model::kNoTensor) return nullptr;
  const model::ModelTensor& tensor = model.tensor(id);
  if (tensor.quantization) return &*tensor.quantization;
  if (tensor.rounded_by != model::kNoTensor) return QuantizationOf(model, tensor.rounded_by);
  if (tensor.source != model::kNoTensor && tensor.source != id) {
    return QuantizationOf(model, tensor.source);
  }
  if (tensor.producer == model::kNoNode) return nullptr;
  const model::ModelNode& producer = model.node(tensor.producer);
  if (!IsDequantizer(producer) || producer.inputs.empty() ||
      producer.inputs[0] == model::kNoTensor) {
    return nullptr;
  }
  const auto& codes = model.tensor(producer.inputs[0]).quantization;
  return codes ? &*codes : nullptr;
}

}  // namespace cboard::compare
