// Turns evaluated layers into the list of a comparison.
#pragma once

#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

struct EvaluatedLayer {
  LayerComparison comparison;
  RestorableLayer restorable;  // With samples.
  model::TensorId output =
      model::kNoTensor;                 // In the baseline; kNoTensor when no outputs were compared.
  model::NodeId node = model::kNoNode;  // In the baseline; kNoNode for inputs of the model.
};

// Sets input_sqnr_db of all layers from the measurements of the layers before them.
void AddInputErrors(const model::ModelGraph& baseline, std::vector<EvaluatedLayer>& layers);

// The layer in which outputs first became NaN or infinite, unless weights did: later layers only
// carry these values.
void AttributeNonFiniteToFirstLayer(std::vector<EvaluatedLayer>& layers);

// Sorts layers, the worst first; equally bad layers keep their order.
void SortWorstFirst(std::vector<EvaluatedLayer>& layers);

}  // namespace cboard::compare
