#include "cboard/compression/model_lint.h"

#include <algorithm>
#include <array>

#include "compression/model_comparison/graph_lint.h"

namespace cboard::compare {

std::string_view NameOf(LintRule rule) {
  constexpr std::array<std::string_view, 7> kNames = {
      "float_island",  "unfused_pair",      "unequal_scales", "per_tensor_depthwise",
      "bias_overflow", "weight_zero_point", "float_weights"};
  return kNames[static_cast<std::size_t>(rule)];
}

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

std::vector<LintFinding> LintModel(const ModelGraph& model) {
  std::vector<LintFinding> findings;
  const bool is_quantized = std::ranges::any_of(
      model.tensors(), [](const ModelTensor& tensor) { return tensor.quantization.has_value(); });
  if (!is_quantized || model.nodes().empty()) return findings;
  LintIslands(model, findings);
  LintScales(model, findings);
  std::ranges::stable_sort(findings, {}, &LintFinding::rule);
  return findings;
}

}  // namespace cboard::compare
