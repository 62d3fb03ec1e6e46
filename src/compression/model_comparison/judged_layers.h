// Layers that were compared and judged, made into a comparison's list.
#pragma once

#include <vector>

#include "cboard/compression/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compression/model_comparison/restorable_parts.h"

namespace cboard::compare {

struct JudgedLayer {
  LayerComparison comparison;
  RestorableLayer restorable;   // With samples.
  TensorId output = kNoTensor;  // In the baseline; kNoTensor when no outputs were compared.
  NodeId node = kNoNode;        // In the baseline; kNoNode for inputs of the model.
};

// Sets the input_sqnr_db of all layers from what was measured of those before them.
void AddInputErrors(const ModelGraph& baseline, std::vector<JudgedLayer>& layers);

// Where outputs became NaN or infinite first, unless weights are to blame: layers behind it have
// them from there.
void BlameFirstNotFinite(std::vector<JudgedLayer>& layers);

// The worst first; layers that are as bad stay in their order.
void SortWorstFirst(std::vector<JudgedLayer>& layers);

}  // namespace cboard::compare
