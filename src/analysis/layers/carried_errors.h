// Tells tensors that are damaged themselves from tensors that carry errors of other layers. Outputs
// that were logged while the whole model ran have the errors of all layers before them.
#pragma once

#include <vector>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {

// Outputs that fail by histograms alone are distinguished by depth. The first one, or its weights
// if these fail, starts the error. Later outputs whose own weights do not fail may only carry it:
// `carried_from` names the first layer, and the cause becomes "carried".
void MarkCarriedErrors(std::vector<RankedLayer>& layers);

// Pruning changes outputs, and training afterwards compensates for it. This is not damage:
// unexplained errors at or behind pruned weights are attributed to pruning and are amber at
// most.
void MarkPrunedOutputs(std::vector<RankedLayer>& layers);

}  // namespace cboard::analysis
