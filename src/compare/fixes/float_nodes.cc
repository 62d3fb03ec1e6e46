#include "compare/fixes/float_nodes.h"

#include <unordered_set>

#include "compare/layers/layer_operators.h"
#include "compare/layers/node_bodies.h"

namespace cboard::compare {
void AddFloatNodes(const ModelGraph& baseline, TensorId output, bool is_output_damaged,
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
  if (!is_output_damaged || output == kNoTensor) return;
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
