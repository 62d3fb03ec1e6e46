#include "compression/model_comparison/float_nodes.h"

#include <unordered_set>

#include "compression/model_comparison/layer_operators.h"

namespace cboard::compare {

void AddFloatNodes(const ModelGraph& baseline, TensorId output, bool is_output_hurt,
                   LayerComparison& layer) {
  if (output != kNoTensor) layer.output_tensor = baseline.tensor(output).name;
  if (layer.diagnosis.level == Level::kGreen) return;
  if (layer.op_type != "Input") layer.float_nodes.push_back(layer.name);
  if (!is_output_hurt || output == kNoTensor) return;
  const NodeId producer = baseline.tensor(output).producer;
  if (producer != kNoNode && baseline.node(producer).name != layer.name) {
    layer.float_nodes.push_back(baseline.node(producer).name);
  }
  std::unordered_set<NodeId> seen;
  std::vector<TensorId> left = {output};
  while (!left.empty()) {
    const TensorId tensor = left.back();
    left.pop_back();
    for (const NodeId id : baseline.consumers(tensor)) {
      const ModelNode& consumer = baseline.node(id);
      if (consumer.op_type == "Shape" || !seen.insert(id).second) continue;
      layer.float_nodes.push_back(consumer.name);
      if (!PassesValues(consumer.op_type) || consumer.inputs[0] != tensor) continue;
      for (const TensorId moved : consumer.outputs) {
        if (moved != kNoTensor) left.push_back(moved);
      }
    }
  }
}

}  // namespace cboard::compare
