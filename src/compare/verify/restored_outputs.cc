// Bypasses quantizers of activations in the compressed model.
#include <cmath>
#include <string_view>

#include "compare/layers/layer_operators.h"
#include "compare/layers/node_bodies.h"
#include "compare/verify/restoration.h"

namespace cboard::compare {
namespace {

// Returns true for operators that only move elements of their inputs to the output.
bool PicksElements(std::string_view op_type) {
  return op_type == "Concat" || op_type == "Pad" || PassesValues(op_type);
}

bool HaveSameGrid(const model::ModelTensor& a, const model::ModelTensor& b) {
  return a.quantization && b.quantization && a.quantization->scales.size() == 1 &&
         a.quantization->scales == b.quantization->scales &&
         a.quantization->zero_points == b.quantization->zero_points && a.type == b.type;
}

// Calls `visit(node)` for each node with this operator that reads `tensor`.
template <typename Visit>
void ForEachUse(const model::ModelGraph& model, model::TensorId tensor, std::string_view op_type,
                const Visit& visit) {
  for (const model::NodeId consumer : model.consumers(tensor)) {
    const model::ModelNode& node = model.node(consumer);
    if (node.op_type != op_type || node.inputs.empty()) continue;
    if (node.inputs[0] != tensor || node.outputs.empty() || node.outputs[0] == model::kNoTensor)
      continue;
    visit(node);
  }
}

}  // namespace

bool CanRestoreOutput(const OutputPlan& plan) { return !plan.before.empty() && !plan.codes; }

template <typename Visit>
void Restoration::ForEachRounded(model::TensorId before, const std::optional<ClampRange>& clamp,
                                 const Visit& visit) {
  struct Quantized {
    model::TensorId tensor;
    std::optional<ClampRange> clamp;
  };
  std::vector<Quantized> rest = {{before, clamp}};
  while (!rest.empty()) {
    const Quantized next = rest.back();
    rest.pop_back();
    ForEachUse(variant_, next.tensor, "QuantizeLinear", [&](const model::ModelNode& quantize) {
      const model::TensorId codes = quantize.outputs[0];
      ForEachUse(variant_, codes, "DequantizeLinear", [&](const model::ModelNode& dequantize) {
        const model::TensorId after = dequantize.outputs[0];
        if (!IsNew(variant_.tensor(after).name)) return;
        visit(dequantize, next.tensor, next.clamp);
        for (const model::NodeId consumer : variant_.consumers(after)) {
          const model::ModelNode& node = variant_.node(consumer);
          if (!PicksElements(node.op_type)) continue;
          for (const model::TensorId output : node.outputs) {
            const auto again = QuantizerOf(variant_, output);
            if (!again || again->before == model::kNoTensor) continue;
            if (!HaveSameGrid(variant_.tensor(codes), variant_.tensor(again->codes))) continue;
            rest.push_back({output, std::nullopt});
          }
        }
      });
    });
  }
}

void Restoration::AddOutput(model::TensorId before, const std::optional<ClampRange>& clamp) {
  ForEachRounded(before, clamp,
                 [&](const model::ModelNode& dequantize, model::TensorId from,
                     const std::optional<ClampRange>& range) {
                   TensorInFile after = FindInFile(variant_, dequantize.outputs[0], dequantize);
                   runtime::PassedTensor passed{.name = std::move(after.name),
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
  for (const model::ModelNode& node : variant_.nodes()) {
    if (node.op_type != "QuantizeLinear" || node.inputs.empty()) continue;
    const model::TensorId before = node.inputs[0];
    if (before != model::kNoTensor && !variant_.IsWeight(before)) AddOutput(before, std::nullopt);
  }
}

}  // namespace cboard::compare
