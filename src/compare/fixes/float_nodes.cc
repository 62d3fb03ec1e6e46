#include "compare/fixes/float_nodes.h"

#include <unordered_set>

#include "compare/layers/layer_operators.h"
#include "compare/layers/node_bodies.h"

namespace cboard::compare {
void AddFloatNodes(const model::ModelGraph& baseline, model::TensorId output,
                   bool is_output_damaged, LayerComparison& layer) {
  if (output != model::kNoTensor) layer.output_tensor = baseline.tensor(output).name;
  const bool is_input = layer.op_type == "Input";
  const model::NodeId own = is_input ? model::kNoNode : baseline.FindNode(NodeOf(layer));
  if (own != model::kNoNode) {
    layer.node = NameInFile(baseline, baseline.node(own));
  } else if (!is_input) {  // The file has no nodes, only weights.
    layer.node = layer.name;
  }
  if (layer.diagnosis.level == Level::kGreen) return;
  if (!is_input) layer.float_nodes.push_back(layer.node);
  if (!is_output_damaged || output == model::kNoTensor) return;
  const auto add = [&](const model::ModelNode& node) {
    layer.float_nodes.emplace_back(NameInFile(baseline, node));
  };
  const model::NodeId producer = baseline.tensor(output).producer;
  if (producer != model::kNoNode && producer != own) add(baseline.node(producer));
  std::unordered_set<model::NodeId> seen;
  std::vector<model::TensorId> left = {output};
  while (!left.empty()) {
    const model::TensorId tensor = left.back();
    left.pop_back();
    for (const model::NodeId id : baseline.consumers(tensor)) {
      const model::ModelNode& consumer = baseline.node(id);
      if (consumer.op_type == "Shape" || !seen.insert(id).second) continue;
      add(consumer);
      if (!PassesValues(consumer.op_type) || consumer.inputs[0] != tensor) continue;
      for (const model::TensorId moved : consumer.outputs) {
        if (moved != model::kNoTensor) left.push_back(moved);
      }
    }
  }
}

}  // namespace cboard::compare
