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

// Sets the input_sqnr_db of all layers from what was measured of those before them.
void AddInputErrors(const model::ModelGraph& baseline, std::vector<EvaluatedLayer>& layers);

// Where outputs became NaN or infinite first, unless weights are to blame: layers behind it have
// them from there.
void AttributeNonFiniteToFirstLayer(std::vector<EvaluatedLayer>& layers);

// The worst first; layers that are as bad stay in their order.
void SortWorstFirst(std::vector<EvaluatedLayer>& layers);

}  // namespace cboard::compare
