#include "compare/layers/unread_weights.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::compare {
namespace {

model::TensorId InputAt(const model::ModelNode& node, std::size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : model::kNoTensor;
}

// Operators on integer codes, with the number of the input that contains the codes of the weights.
struct CodedInput {
  std::string_view op;
  std::size_t codes;
};
constexpr CodedInput kCodedInputs[] = {
    {"MatMulNBits", 1},           {"MatMulInteger", 1},       {"ConvInteger", 1},
    {"QLinearConv", 3},           {"QLinearMatMul", 3},       {"QGemm", 3},
    {"DynamicQuantizeMatMul", 1}, {"DynamicQuantizeLSTM", 1}, {"DynamicQuantizeLSTM", 2},
};

std::string_view UnreadReason(const model::ModelGraph& model, const model::ModelNode& node) {
  if (node.op_type != "MatMulNBits")
    return "its weights are integers, and their scale was not found";
  const model::TensorId scales = InputAt(node, 2), zero_points = InputAt(node, 3);
  if (InputAt(node, 4) != model::kNoTensor) return "its columns are reordered (g_idx)";
  const model::AttributeValue* prepacked = node.FindAttribute("weight_prepacked");
  if (prepacked != nullptr && *prepacked != model::AttributeValue(std::int64_t{0})) {
    return "its weights are laid out for one device (weight_prepacked)";
  }
  if (!model.IsWeight(scales) ||
      (zero_points != model::kNoTensor && !model.IsWeight(zero_points))) {
    return "its scales or zero points are computed at run time";
  }
  if (zero_points != model::kNoTensor && !IsInteger(model.tensor(zero_points).type)) {
    return "its zero points are not integers, one for each block";
  }
  return "its K, N, bits and block_size do not fit the sizes of its tensors";
}

}  // namespace

bool HasUnreadWeights(const model::ModelGraph& model, const model::ModelNode& node) {
  return std::ranges::any_of(kCodedInputs, [&](const CodedInput& input) {
    if (input.op != node.op_type) return false;
    const model::TensorId codes = InputAt(node, input.codes);
    if (codes == model::kNoTensor || model.tensor(codes).quantization) return false;
    // If other nodes compute this input, it contains a factor and not weights.
    return node.op_type == "MatMulNBits" || model.tensor(codes).is_constant;
  });
}

std::vector<std::string> UnreadWeights(const model::ModelGraph& model) {
  struct Nodes {
    const model::ModelNode* first = nullptr;
    std::size_t count = 0;
  };
  std::map<std::string_view, Nodes> by_reason;
  for (const model::ModelNode& node : model.nodes()) {
    if (!HasUnreadWeights(model, node)) continue;
    Nodes& nodes = by_reason[UnreadReason(model, node)];
    if (nodes.count++ == 0) nodes.first = &node;
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, nodes] : by_reason) {
    std::string text = nodes.first->op_type + " " + Quoted(nodes.first->name);
    if (nodes.count > 1) text += " and " + HumanCount(nodes.count - 1) + " more";
    text += " of " + Quoted(model.path().filename().string()) +
            (nodes.count > 1 ? " are not compared: " : " is not compared: ") + std::string(reason);
    sentences.push_back(text + ".");
  }
  return sentences;
}

}  // namespace cboard::compare
