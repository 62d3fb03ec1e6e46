// Separates layers that are damaged themselves from layers that carry errors of earlier layers.
// Outputs that were logged while the whole model ran include the errors of all earlier layers.
#pragma once

#include <vector>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {

// For outputs whose damage is known only from histograms, decides by depth where the error starts:
// at the first damaged output, or at the weights of this layer if they are damaged. The error of a
// later output with intact weights may come from this layer: `carried_from` then names this layer,
// and the cause becomes "carried".
void MarkCarriedErrors(std::vector<RankedLayer>& layers);

// Limits diagnoses of pruned models. Pruning changes outputs, and training afterwards compensates
// for the change, so the change is not damage: unexplained errors at or behind pruned weights are
// attributed to pruning and are at most amber.
void MarkPrunedOutputs(std::vector<RankedLayer>& layers);

}  // namespace cboard::analysis
