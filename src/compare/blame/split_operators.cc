#include "compare/blame/split_operators.h"

#include <algorithm>
#include <string>

namespace cboard::compare {
namespace {

bool IsRounding(std::string_view op_type) {
  return op_type == "QuantizeLinear" || op_type == "DequantizeLinear";
}

bool IsProduct(std::string_view op_type) { return op_type == "Mul" || op_type == "Div"; }

}  // namespace

SplitOperators::SplitOperators(const model::ModelGraph& model) : model_(model) {
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const auto id = static_cast<model::NodeId>(i);
    const std::string_view op_type = model.nodes()[i].op_type;
    if (op_type == "Sqrt") FindNorm(id);
    if (op_type == "Div") FindSoftmax(id);
    if (op_type == "Erf" || op_type == "Tanh") FindGelu(id);
  }
}

std::optional<std::size_t> SplitOperators::Around(model::TensorId tensor) const {
  const auto found = inside_.find(tensor);
  return found == inside_.end() ? std::nullopt : std::optional(found->second);
}

model::NodeId SplitOperators::ProducerOf(model::TensorId tensor) const {
  while (tensor != model::kNoTensor) {
    const model::NodeId producer = model_.tensor(tensor).producer;
    if (producer == model::kNoNode || !IsRounding(model_.node(producer).op_type)) return producer;
    const auto& inputs = model_.node(producer).inputs;
    tensor = inputs.empty() ? model::kNoTensor : inputs[0];
  }
  return model::kNoNode;
}

std::vector<model::NodeId> SplitOperators::ConsumersOf(model::TensorId tensor) const {
  std::vector<model::NodeId> found;
  std::vector<model::TensorId> rest = {tensor};
  while (!rest.empty()) {
    const model::TensorId next = rest.back();
    rest.pop_back();
    if (next == model::kNoTensor) continue;
    for (const model::NodeId id : model_.consumers(next)) {
      const model::ModelNode& node = model_.node(id);
      if (!IsRounding(node.op_type)) {
        found.push_back(id);
      } else if (!node.outputs.empty() && node.inputs[0] == next) {
        rest.push_back(node.outputs[0]);
      }
    }
  }
  return found;
}

model::NodeId SplitOperators::ProducerOfInput(model::NodeId node, std::size_t input) const {
  if (node == model::kNoNode || input >= model_.node(node).inputs.size()) return model::kNoNode;
  return ProducerOf(model_.node(node).inputs[input]);
}

bool SplitOperators::IsConstant(model::NodeId node, std::size_t input) const {
  return input < model_.node(node).inputs.size() &&
         model_.IsWeight(model_.node(node).inputs[input]);
}

std::string_view SplitOperators::OperatorOf(model::NodeId node) const {
  return node == model::kNoNode ? std::string_view() : std::string_view(model_.node(node).op_type);
}

void SplitOperators::Add(std::string_view name, std::vector<model::NodeId> nodes) {
  std::erase(nodes, model::kNoNode);
  std::ranges::sort(nodes);
  const auto twice = std::ranges::unique(nodes);
  nodes.erase(twice.begin(), twice.end());
  if (nodes.size() < 2) return;
  const std::size_t place = all_.size();
  for (const model::NodeId id : nodes) {
    if (id == nodes.back()) continue;
    for (const model::TensorId output : model_.node(id).outputs) {
      if (output != model::kNoTensor) inside_.try_emplace(output, place);
    }
  }
  all_.push_back({.name = name, .first = nodes.front(), .last = nodes.back(), .nodes = nodes});
}

// Finds LayerNorm and RMSNorm: x -> [ReduceMean, Sub] -> Pow -> ReduceMean -> Add -> Sqrt -> Div,
// or Reciprocal and Mul. Nodes in brackets are optional.
void SplitOperators::FindNorm(model::NodeId sqrt) {
  std::vector<model::NodeId> nodes = {sqrt};
  model::NodeId at = ProducerOfInput(sqrt, 0);
  while (OperatorOf(at) == "Add" || OperatorOf(at) == "Clip" || OperatorOf(at) == "Max") {
    nodes.push_back(at);
    at = ProducerOfInput(at, IsConstant(at, 0) ? 1 : 0);
  }
  const std::string_view reduced = OperatorOf(at);
  if (reduced != "ReduceMean" && reduced != "ReduceSum" && reduced != "GlobalAveragePool") return;
  nodes.push_back(at);
  const model::NodeId square = ProducerOfInput(at, 0);
  if (OperatorOf(square) != "Pow" && OperatorOf(square) != "Mul") return;
  nodes.push_back(square);
  const model::NodeId centered = ProducerOfInput(square, 0);
  bool is_centered = false;
  if (OperatorOf(centered) == "Sub") {
    const model::NodeId mean = ProducerOfInput(centered, 1);
    is_centered = OperatorOf(mean) == "ReduceMean" || OperatorOf(mean) == "GlobalAveragePool";
    if (is_centered) nodes.insert(nodes.end(), {centered, mean});
  }
  // Finds the division by the square root, and the gain and offset behind it. A product with the
  // root itself is no division: the magnitude of a spectrum is squared again in that way.
  struct Step {
    model::NodeId node;
    bool is_reciprocal;
  };
  std::vector<Step> next;
  const auto add_consumers = [&](model::NodeId of, bool is_reciprocal) {
    for (const model::NodeId id : ConsumersOf(model_.node(of).outputs[0])) {
      next.push_back({id, is_reciprocal});
    }
  };
  add_consumers(sqrt, false);
  bool is_divided = false;
  for (std::size_t i = 0; i < next.size() && i < 8; ++i) {
    const auto [node, is_reciprocal] = next[i];
    const std::string_view op_type = OperatorOf(node);
    if (op_type == "Reciprocal" || op_type == "Expand" || op_type == "Clip") {
      nodes.push_back(node);
      add_consumers(node, is_reciprocal || op_type == "Reciprocal");
    } else if (op_type == "Div" || (op_type == "Mul" && is_reciprocal)) {
      // 1 / root is a reciprocal that is written as a quotient.
      if (op_type == "Div" && !is_reciprocal && IsConstant(node, 0)) {
        nodes.push_back(node);
        add_consumers(node, true);
        continue;
      }
      nodes.push_back(node);
      is_divided = true;
      // A constant gain and offset belong to the normalization, so its output is behind them.
      model::NodeId last = node;
      for (const std::string_view step : {"Mul", "Add"}) {
        const std::vector<model::NodeId> behind = ConsumersOf(model_.node(last).outputs[0]);
        if (behind.size() != 1 || OperatorOf(behind[0]) != step) break;
        if (!IsConstant(behind[0], 0) && !IsConstant(behind[0], 1)) break;
        nodes.push_back(last = behind[0]);
      }
    }
  }
  if (is_divided) Add(is_centered ? "LayerNorm" : "RMSNorm", std::move(nodes));
}

// Finds Softmax: [ReduceMax, Sub] -> Exp -> ReduceSum, and Exp / ReduceSum. Nodes in brackets are
// optional.
void SplitOperators::FindSoftmax(model::NodeId divide) {
  const model::NodeId exp = ProducerOfInput(divide, 0);
  const model::NodeId sum = ProducerOfInput(divide, 1);
  if (OperatorOf(exp) != "Exp" || OperatorOf(sum) != "ReduceSum") return;
  if (ProducerOfInput(sum, 0) != exp) return;
  std::vector<model::NodeId> nodes = {exp, sum, divide};
  const model::NodeId shifted = ProducerOfInput(exp, 0);
  if (OperatorOf(shifted) == "Sub") {
    nodes.push_back(shifted);
    const model::NodeId largest = ProducerOfInput(shifted, 1);
    if (OperatorOf(largest) == "ReduceMax") nodes.push_back(largest);
  }
  Add("Softmax", std::move(nodes));
}

// Finds GELU: x / sqrt(2) -> Erf -> + 1 -> * x -> * 0.5, or the tanh approximation.
void SplitOperators::FindGelu(model::NodeId erf) {
  std::vector<model::NodeId> nodes = {erf};
  model::NodeId before = ProducerOfInput(erf, 0);
  if (OperatorOf(erf) == "Tanh") {
    // The argument of tanh is 0.797 * (x + 0.0447 * x^3). At least a product with a constant is
    // required.
    if (OperatorOf(before) != "Mul") return;
    for (std::size_t i = 0; i < 5 && before != model::kNoNode; ++i) {
      const std::string_view op_type = OperatorOf(before);
      if (op_type != "Mul" && op_type != "Add" && op_type != "Pow") break;
      nodes.push_back(before);
      // One operand is x, and the other one is computed from x. Continues with the computed
      // operand.
      const model::NodeId left = ProducerOfInput(before, 0), right = ProducerOfInput(before, 1);
      before = right == model::kNoNode || (left != model::kNoNode && left > right) ? left : right;
    }
  } else if (IsProduct(OperatorOf(before))) {
    nodes.push_back(before);
  }
  model::NodeId last = erf;
  std::size_t found = 0;
  for (const std::string_view step : {"Add", "Mul", "Mul"}) {
    const std::vector<model::NodeId> behind = ConsumersOf(model_.node(last).outputs[0]);
    if (behind.size() != 1 || OperatorOf(behind[0]) != step) break;
    if (step == "Add" && !IsConstant(behind[0], 0) && !IsConstant(behind[0], 1)) break;
    // The second product has a constant factor; otherwise it is a gate, not part of GELU.
    if (found == 2 && !IsConstant(behind[0], 0) && !IsConstant(behind[0], 1)) break;
    nodes.push_back(last = behind[0]);
    ++found;
  }
  if (found >= 2) Add("GELU", std::move(nodes));
}

}  // namespace cboard::compare
