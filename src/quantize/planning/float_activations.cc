#include "quantize/planning/float_activations.h"

#include <algorithm>

#include "cboard/base/strings.h"

namespace cboard::quantize {

FloatActivations::FloatActivations(const Graph& graph, const Placement& placement,
                                   const Statistics& statistics)
    : graph_(graph), index_(graph), placement_(placement) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (placement.nodes[i].role != NodeRole::kCompute) continue;
    const Constant& weight = *graph.FindConstant(node.inputs[1]);
    // How often each weight is used for a sample: once per position of a convolution's output, or
    // per row of a matrix product.
    double positions = 1;
    std::string tensor = node.inputs[0];
    double channels = 0;
    if (node.Is("Conv")) {
      channels = static_cast<double>(weight.shape[0]);
      tensor = node.outputs[0];
      while (!statistics.tensors.contains(tensor) &&
             index_.OnlyConsumer(tensor) != GraphIndex::kNone) {
        tensor = graph.nodes[index_.OnlyConsumer(tensor)].outputs[0];
      }
    } else {
      const bool is_transposed = node.Is("Gemm") && node.Int("transB", 0) != 0;
      channels = static_cast<double>(weight.shape[is_transposed ? 1 : weight.shape.size() - 2]);
    }
    const auto found = statistics.tensors.find(tensor);
    if (found != statistics.tensors.end() && found->second.samples > 0 && channels > 0) {
      positions = static_cast<double>(found->second.count) /
                  static_cast<double>(found->second.samples) / channels;
    }
    multiplications_[i] = positions * static_cast<double>(weight.element_count());
  }
}

std::string FloatActivations::OutputOf(const Node& node, const Plan& plan) const {
  std::string tensor = node.outputs[0];
  while (!plan.activations.contains(tensor)) {
    const std::size_t next = index_.OnlyConsumer(tensor);
    if (next == GraphIndex::kNone || placement_.nodes[next].role != NodeRole::kFused) break;
    tensor = graph_.nodes[next].outputs[0];
  }
  return tensor;
}

bool FloatActivations::IsInteger(const Node& node, const Plan& plan) const {
  const auto is_quantized = [&](const std::string& tensor) {
    const auto found = plan.activations.find(tensor);
    return found != plan.activations.end() && !found->second.is_float;
  };
  return is_quantized(node.inputs[0]) && (!node.Is("Conv") || is_quantized(OutputOf(node, plan)));
}

void FloatActivations::Release(const std::string& tensor, Plan& plan) const {
  std::vector<std::string> released = {tensor};
  for (std::size_t i = 0; i < released.size(); ++i) {
    for (const auto& [name, activation] : plan.activations) {
      if (activation.shares == released[i] && std::ranges::find(released, name) == released.end()) {
        released.push_back(name);
      }
    }
  }
  const std::string reason = "8 bits do not hold its values";
  for (const std::string& name : released) {
    const auto found = plan.activations.find(name);
    if (found == plan.activations.end()) continue;
    found->second.is_float = true;
    found->second.reason = reason;
  }
  for (const auto& [i, count] : multiplications_) {
    const Node& node = graph_.nodes[i];
    const auto planned = plan.nodes.find(node.outputs[0]);
    if (planned == plan.nodes.end() || !planned->second.reason.empty()) continue;
    if (IsInteger(node, plan)) continue;
    const auto input = plan.activations.find(node.inputs[0]);
    const bool is_input = input != plan.activations.end() && input->second.is_float;
    planned->second.reason = "8 bits do not hold its " +
                             std::string(is_input ? "input " : "output ") +
                             Quoted(is_input ? node.inputs[0] : OutputOf(node, plan)) +
                             "; it computes in float, its weight has 8 bits";
  }
}

double FloatActivations::FloatShare(const Plan& plan) const {
  double all = 0, in_float = 0;
  for (const auto& [i, count] : multiplications_) {
    all += count;
    if (!IsInteger(graph_.nodes[i], plan)) in_float += count;
  }
  return all > 0 ? in_float / all : 0;
}

}  // namespace cboard::quantize
