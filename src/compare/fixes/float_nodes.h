// Finds the nodes that must be kept in float together with a layer.
#pragma once

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Sets the layer's node and output. Unless the layer is green, also sets the nodes to keep in
// float32: the node itself and, if its output is damaged, the nodes up to the output and the
// readers of the output. If a reader only moves values, its own readers are also kept in float32,
// because a quantizer behind it would round the same values.
void AddFloatNodes(const model::ModelGraph& baseline, model::TensorId output,
                   bool is_output_damaged, LayerComparison& layer);

}  // namespace cboard::compare
