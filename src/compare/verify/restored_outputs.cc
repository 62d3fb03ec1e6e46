// Quantizers of activations that are passed by.
#include <cmath>
#include <string_view>

#include "compare/layers/layer_operators.h"
#include "compare/layers/node_bodies.h"
#include "compare/verify/restoration.h"

namespace cboard::compare {
namespace {

// Outputs of these are elements of their inputs.
bool PicksElements(std::string_view op_type) {
  return op_type == "Concat" || op_type == "Pad" || PassesValues(op_type);
}

bool HaveSameGrid(const ModelTensor& a, const ModelTensor& b) {
  return a.quantization && b.quantization && a.quantization->scales.size() == 1 &&
         a.quantization->scales == b.quantization->scales &&
         a.quantization->zero_points == b.quantization->zero_points && a.type == b.type;
}

// Calls `visit(node)` for the nodes that are this operator on `tensor`.
template <typename Visit>
void ForEachUse(const ModelGraph& model, TensorId tensor, std::string_view op_type,
                const Visit& visit) {
  for (const NodeId consumer : model.consumers(tensor)) {
    const ModelNode& node = model.node(consumer);
    if (node.op_type != op_type || node.inputs.empty()) continue;
    if (node.inputs[0] != tensor || node.outputs.empty() || node.outputs[0] == kNoTensor) continue;
    visit(node);
  }
}

}  // namespace

bool CanRestoreOutput(const OutputPlan& plan) { return !plan.before.empty() && !plan.codes; }

template <typename Visit>
void Restoration::ForEachRounded(TensorId before, const std::optional<ClampRange>& clamp,
                                 const Visit& visit) {
  struct Quantized {
    TensorId tensor;
    std::optional<ClampRange> clamp;
  };
  std::vector<Quantized> rest = {{before, clamp}};
  while (!rest.empty()) {
    const Quantized next = rest.back();
    rest.pop_back();
    ForEachUse(variant_, next.tensor, "QuantizeLinear", [&](const ModelNode& quantize) {
      const TensorId codes = quantize.outputs[0];
      ForEachUse(variant_, codes, "DequantizeLinear", [&](const ModelNode& dequantize) {
        const TensorId after = dequantize.outputs[0];
        if (!IsNew(variant_.tensor(after).name)) return;
        visit(dequantize, next.tensor, next.clamp);
        for (const NodeId consumer : variant_.consumers(after)) {
          const ModelNode& node = variant_.node(consumer);
          if (!PicksElements(node.op_type)) continue;
          for (const TensorId output : node.outputs) {
            const auto again = QuantizerOf(variant_, output);
            if (!again || again->before == kNoTensor) continue;
            if (!HaveSameGrid(variant_.tensor(codes), variant_.tensor(again->codes))) continue;
            rest.push_back({output, std::nullopt});
          }
        }
      });
    });
  }
}

void Restoration::AddOutput(TensorId before, const std::optional<ClampRange>& clamp) {
  ForEachRounded(
      before, clamp,
      [&](const ModelNode& dequantize, TensorId from, const std::optional<ClampRange>& range) {
        TensorInFile after = FindInFile(variant_, dequantize.outputs[0], dequantize);
        PassedTensor passed{.name = std::move(after.name),
                            .from = FindInFile(variant_, from, dequantize).name,
                            .in = std::move(after.in)};
        if (range && std::isfinite(range->low)) passed.low = range->low;
        if (range && std::isfinite(range->high)) passed.high = range->high;
        edits_.passed.push_back(std::move(passed));
      });
}

void Restoration::AddOutput(const OutputPlan& plan) {
  AddOutput(variant_.FindTensor(plan.before), plan.clamp);
}

void Restoration::KeepOutput(const OutputPlan& plan) {
  ForEachRounded(variant_.FindTensor(plan.before), plan.clamp, [](const auto&...) {});
}

void Restoration::AddOtherOutputs() {
  for (const ModelNode& node : variant_.nodes()) {
    if (node.op_type != "QuantizeLinear" || node.inputs.empty()) continue;
    const TensorId before = node.inputs[0];
    if (before != kNoTensor && !variant_.IsWeight(before)) AddOutput(before, std::nullopt);
  }
}

}  // namespace cboard::compare
