// Converts weights and activations from float16 to float32, from which the graph is quantized.
#include <algorithm>

#include "quantize/graph/prepare_graph.h"

namespace cboard::quantize {
namespace {

bool IsHalf(const Constant& constant) {
  return constant.element_type == kFloat16 && constant.encoded.empty();
}

Constant Widened(const Constant& half) { return Constant::Floats(half.shape, half.ToFloats()); }

// Changes node attributes that contain the type of an output.
void WidenAttributes(Node& node) {
  for (const char* type : {"to", "dtype", "output_datatype"}) {
    if (node.Int(type, 0) == kFloat16) node.Set(Attribute::Int(type, kFloat32));
  }
  for (Attribute& attribute : node.attributes) {
    if (attribute.tensor && IsHalf(*attribute.tensor)) {
      attribute = Attribute::Tensor(attribute.name, Widened(*attribute.tensor));
    }
  }
}

Node CastNode(Graph& graph, const std::string& from, const std::string& to, int type) {
  return {.name = graph.UniqueName(to + "_cast"),
          .op_type = "Cast",
          .inputs = {from},
          .outputs = {to},
          .attributes = {Attribute::Int("to", type)}};
}

}  // namespace

std::size_t WidenHalf(Graph& graph) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      graph.constants, [](const auto& entry) { return IsHalf(entry.second); }));
  const bool has_body =
      std::ranges::any_of(graph.nodes, [](const Node& node) { return node.HasBody(); });
  if (count == 0 || has_body || !graph.functions.empty()) return 0;
  for (auto& [name, constant] : graph.constants) {
    if (IsHalf(constant)) constant = Widened(constant);
  }
  for (Node& node : graph.nodes) WidenAttributes(node);
  graph.values.clear();  // These have the old types.
  std::vector<Node> casts;
  for (const Value& input : graph.inputs) {
    if (input.element_type != kFloat16) continue;
    const std::string wide = graph.UniqueName(input.name + "_float");
    for (Node& node : graph.nodes) std::ranges::replace(node.inputs, input.name, wide);
    casts.push_back(CastNode(graph, input.name, wide, kFloat32));
  }
  for (const Value& output : graph.outputs) {
    if (output.element_type != kFloat16 || graph.constants.contains(output.name)) continue;
    const std::string wide = graph.UniqueName(output.name + "_float");
    bool is_computed = false;
    for (Node& node : graph.nodes) {
      is_computed =
          is_computed || std::ranges::find(node.outputs, output.name) != node.outputs.end();
      std::ranges::replace(node.outputs, output.name, wide);
      std::ranges::replace(node.inputs, output.name, wide);
    }
    if (is_computed) casts.push_back(CastNode(graph, wide, output.name, kFloat16));
  }
  graph.nodes.insert(graph.nodes.end(), casts.begin(), casts.end());
  SortNodes(graph);
  return count;
}

}  // namespace cboard::quantize
