// A layer after evaluation, and functions that complete the list of layers of a comparison.
#pragma once

#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

struct EvaluatedLayer {
  LayerComparison comparison;
  RestorableLayer restorable;  // Only if samples were run.
  model::TensorId output =
      model::kNoTensor;  // Tensor in the baseline; kNoTensor if outputs were not compared.
  model::NodeId node = model::kNoNode;  // Node in the baseline; kNoNode for inputs of the model.
};

// Sets input_sqnr_db of all layers to the accumulated SQNR measured at earlier layers.
void AddInputErrors(const model::ModelGraph& baseline, std::vector<EvaluatedLayer>& layers);

// Makes the first layer whose outputs became NaN or infinite red; later layers only pass on these
// values. Does nothing if the weights of this layer are the reason, because the layer is then
// already red.
void AttributeNonFiniteToFirstLayer(std::vector<EvaluatedLayer>& layers);

// Sorts layers, the worst first. Layers with equal level and severity stay in their order.
void SortWorstFirst(std::vector<EvaluatedLayer>& layers);

}  // namespace cboard::compare
