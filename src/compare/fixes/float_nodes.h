// Finds the nodes that must be kept in float together with a layer.
#pragma once

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Sets the layer's node and output. Unless the layer is green, also sets the nodes to keep in
// float32: the node itself and, if its output is damaged, the nodes up to the output and the
// readers of the output. Nodes that only move values are skipped, because the same values would be
// rounded behind them.
void AddFloatNodes(const model::ModelGraph& baseline, model::TensorId output,
                   bool is_output_damaged, LayerComparison& layer);

}  // namespace cboard::compare
