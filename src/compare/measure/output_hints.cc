#include "compare/measure/output_hints.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

#include "compare/layers/layer_operators.h"

namespace cboard::compare {
namespace {

bool HasAnyOf(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// Returns true if a Div divides vectors by their L2 norm Sqrt(Σx²); one or several operators may
// compute the norm.
bool DividesByLength(const model::ModelGraph& model, const model::ModelNode& div) {
  if (div.op_type != "Div" || div.inputs.size() != 2) return false;
  constexpr std::size_t kMaxSteps = 8;
  model::TensorId tensor = div.inputs[1];
  bool has_root = false;
  for (std::size_t step = 0; step < kMaxSteps && tensor != model::kNoTensor; ++step) {
    const model::NodeId producer = model.tensor(tensor).producer;
    if (producer == model::kNoNode) return false;
    const model::ModelNode& node = model.node(producer);
    if (node.inputs.empty()) return false;
    if (node.op_type == "ReduceL2") return node.inputs[0] == div.inputs[0];
    if (node.op_type == "ReduceSum" || node.op_type == "ReduceSumSquare") return has_root;
    has_root = has_root || node.op_type == "Sqrt" || node.op_type == "Pow";
    tensor = node.inputs[0];
  }
  return false;
}

}  // namespace

bool IsState(const model::ModelGraph& model, model::TensorId tensor, std::size_t depth) {
  constexpr std::size_t kMaxSteps = 8;
  const model::NodeId producer =
      tensor == model::kNoTensor ? model::kNoNode : model.tensor(tensor).producer;
  if (producer == model::kNoNode || depth > kMaxSteps) return false;
  const model::ModelNode& node = model.node(producer);
  const bool is_recurrent = node.op_type == "LSTM" || node.op_type == "GRU" ||
                            node.op_type == "RNN" || node.op_type == "DynamicQuantizeLSTM";
  if (is_recurrent) return !node.outputs.empty() && node.outputs[0] != tensor;
  if (node.op_type == "Concat") {
    return std::ranges::all_of(
        node.inputs, [&](model::TensorId input) { return IsState(model, input, depth + 1); });
  }
  if (!PassesValues(node.op_type) || node.inputs.empty()) return false;
  return IsState(model, node.inputs[0], depth + 1);
}

bool IsLinear(const model::ModelGraph& model, model::TensorId tensor, std::size_t depth) {
  constexpr std::size_t kMaxSteps = 8;
  const model::NodeId producer =
      tensor == model::kNoTensor ? model::kNoNode : model.tensor(tensor).producer;
  if (producer == model::kNoNode || depth > kMaxSteps) return false;
  const model::ModelNode& node = model.node(producer);
  if (node.op_type == "Conv" || node.op_type == "ConvTranspose" || node.op_type == "Gemm" ||
      node.op_type == "MatMul") {
    return true;
  }
  if (node.op_type == "Concat") {
    return std::ranges::all_of(
        node.inputs, [&](model::TensorId input) { return IsLinear(model, input, depth + 1); });
  }
  if (node.op_type == "Add") {
    return std::ranges::any_of(
        node.inputs, [&](model::TensorId input) { return IsLinear(model, input, depth + 1); });
  }
  if (!PassesValues(node.op_type) || node.inputs.empty()) return false;
  return IsLinear(model, node.inputs[0], depth + 1);
}

OutputHint HintOf(const model::ModelGraph& model, model::TensorId tensor) {
  constexpr std::array<std::string_view, 7> kFeatures = {
      "embed", "feature", "hidden", "pooler", "pooled", "descriptor", "representation"};
  constexpr std::array<std::string_view, 6> kAnswers = {"logit", "prob",  "class",
                                                        "score", "label", "softmax"};
  std::string name = model.tensor(tensor).name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (HasAnyOf(name, kAnswers)) return OutputHint::kAnswers;
  if (HasAnyOf(name, kFeatures)) return OutputHint::kFeatures;
  constexpr std::size_t kMaxSteps = 8;
  for (std::size_t step = 0; step < kMaxSteps; ++step) {
    const model::NodeId producer = model.tensor(tensor).producer;
    if (producer == model::kNoNode) break;
    const model::ModelNode& node = model.node(producer);
    if (node.op_type.find("LayerNormalization") != std::string::npos ||
        node.op_type == "LpNormalization" || DividesByLength(model, node)) {
      return OutputHint::kFeatures;
    }
    if (!PassesValues(node.op_type) || node.inputs.empty()) break;
    if (node.inputs[0] == model::kNoTensor) break;
    tensor = node.inputs[0];
  }
  return OutputHint::kNone;
}

}  // namespace cboard::compare
