// Which nodes a layer takes with it when it stays in floating point.
#pragma once

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Names the node, the output, and the nodes to keep in float32 unless the layer is green: itself
// and, where its output is damaged, those up to the output and those that take it, also behind
// nodes that only move values, after which the same values would be rounded again.
void AddFloatNodes(const model::ModelGraph& baseline, model::TensorId output,
                   bool is_output_damaged, LayerComparison& layer);

}  // namespace cboard::compare
