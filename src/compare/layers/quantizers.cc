#include "compare/layers/quantizers.h"

namespace cboard::compare {

bool IsQuantizer(const ModelNode& node) {
  return node.op_type == "QuantizeLinear" || node.op_type == "QUANTIZE";
}

bool IsDequantizer(const ModelNode& node) {
  return node.op_type == "DequantizeLinear" || node.op_type == "DEQUANTIZE";
}

const ModelQuantization* QuantizationOf(const ModelGraph& model, TensorId id) {
  if (id == kNoTensor) return nullptr;
  const ModelTensor& tensor = model.tensor(id);
  if (tensor.quantization) return &*tensor.quantization;
  if (tensor.rounded_by != kNoTensor) return QuantizationOf(model, tensor.rounded_by);
  if (tensor.source != kNoTensor && tensor.source != id) {
    return QuantizationOf(model, tensor.source);
  }
  if (tensor.producer == kNoNode) return nullptr;
  const ModelNode& producer = model.node(tensor.producer);
  if (!IsDequantizer(producer) || producer.inputs.empty() || producer.inputs[0] == kNoTensor) {
    return nullptr;
  }
  const auto& codes = model.tensor(producer.inputs[0]).quantization;
  return codes ? &*codes : nullptr;
}

}  // namespace cboard::compare
