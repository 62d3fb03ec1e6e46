#include "compression/model_comparison/float_nodes.h"

#include <unordered_set>

#include "compression/model_comparison/layer_operators.h"
#include "compression/model_comparison/node_bodies.h"

namespace cboard::compare {
namespace {

// "lstm" of "lstm/W".
std::string_view WithoutWeights(std::string_view name, std::string_view weights) {
  const bool has_them = !weights.empty() && name.size() > weights.size() + 1 &&
                        name.ends_with(weights) && name[name.size() - weights.size() - 1] == '/';
  if (has_them) name.remove_suffix(weights.size() + 1);
  return name;
}

}  // namespace

std::string_view NodeOf(const LayerComparison& layer) {
  return WithoutWeights(layer.name, layer.weights_name);
}

std::string_view VariantNodeOf(const LayerComparison& layer) {
  return WithoutWeights(layer.variant_name, layer.weights_name);
}

void AddFloatNodes(const ModelGraph& baseline, TensorId output, bool is_output_hurt,
                   LayerComparison& layer) {
  if (output != kNoTensor) layer.output_tensor = baseline.tensor(output).name;
  const bool is_input = layer.op_type == "Input";
  const NodeId own = is_input ? kNoNode : baseline.FindNode(NodeOf(layer));
  if (own != kNoNode) {
    layer.node = NameInFile(baseline, baseline.node(own));
  } else if (!is_input) {  // Of a file without nodes.
    layer.node = layer.name;
  }
  if (layer.diagnosis.level == Level::kGreen) return;
  if (!is_input) layer.float_nodes.push_back(layer.node);
  if (!is_output_hurt || output == kNoTensor) return;
  const auto add = [&](const ModelNode& node) {
    layer.float_nodes.emplace_back(NameInFile(baseline, node));
  };
  const NodeId producer = baseline.tensor(output).producer;
  if (producer != kNoNode && producer != own) add(baseline.node(producer));
  std::unordered_set<NodeId> seen;
  std::vector<TensorId> left = {output};
  while (!left.empty()) {
    const TensorId tensor = left.back();
    left.pop_back();
    for (const NodeId id : baseline.consumers(tensor)) {
      const ModelNode& consumer = baseline.node(id);
      if (consumer.op_type == "Shape" || !seen.insert(id).second) continue;
      add(consumer);
      if (!PassesValues(consumer.op_type) || consumer.inputs[0] != tensor) continue;
      for (const TensorId moved : consumer.outputs) {
        if (moved != kNoTensor) left.push_back(moved);
      }
    }
  }
}

}  // namespace cboard::compare
