#include "compare/blame/log_front_end.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "compare/layers/layer_operators.h"
#include "compare/layers/quantizers.h"

namespace cboard::compare {
namespace {

// Operators that pass an error of rounding on as an error of about the same relative size to the
// largest values.
bool AddsOrScales(const model::ModelGraph& model, const model::ModelNode& node) {
  constexpr auto kPassing = std::to_array<std::string_view>(
      {"Add", "Sub", "Neg", "Abs", "Pow", "Sqrt", "ReduceSum", "ReduceMean", "ReduceL2",
       "ReduceSumSquare", "Concat", "Pad", "Max", "Clip", "Cast", "Where", "STFT", "DFT"});
  const std::string_view op_type = node.op_type;
  if (std::ranges::find(kPassing, op_type) != kPassing.end() || PassesValues(op_type)) return true;
  if (IsQuantizer(node) || IsDequantizer(node)) return true;
  if (node.inputs.size() < 2) return false;
  const bool has_weights = model.IsWeight(node.inputs[0]) || model.IsWeight(node.inputs[1]);
  if (op_type == "Mul") return has_weights || node.inputs[0] == node.inputs[1];
  return has_weights &&
         (op_type == "Conv" || op_type == "MatMul" || op_type == "Gemm" || op_type == "Div");
}

}  // namespace

LogFrontEnd::LogFrontEnd(const model::ModelGraph& model) {
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const model::ModelNode& log = model.nodes()[i];
    if (log.op_type != "Log" || log.inputs.empty()) continue;
    std::vector<model::TensorId> rest = {log.inputs[0]};
    while (!rest.empty()) {
      const model::TensorId tensor = rest.back();
      rest.pop_back();
      if (tensor == model::kNoTensor || model.IsWeight(tensor)) continue;
      if (!logs_.try_emplace(tensor, static_cast<model::NodeId>(i)).second) continue;
      const model::NodeId producer = model.tensor(tensor).producer;
      if (producer == model::kNoNode || !AddsOrScales(model, model.node(producer))) continue;
      const std::vector<model::TensorId>& inputs = model.node(producer).inputs;
      rest.insert(rest.end(), inputs.begin(), inputs.end());
    }
  }
}

std::optional<model::NodeId> LogFrontEnd::LogBehind(model::TensorId tensor) const {
  const auto found = logs_.find(tensor);
  return found == logs_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace cboard::compare
