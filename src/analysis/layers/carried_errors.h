// Separates layers that are damaged themselves from layers that carry errors of earlier layers.
// Outputs that were logged while the whole model ran include the errors of all earlier layers.
#pragma once

#include <vector>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {

// Separates outputs that are damaged by histograms alone, by their depth. The first damaged output,
// or its weights if these are damaged, starts the error. Later outputs with intact weights may only
// carry it: `carried_from` names the first layer, and the cause becomes "carried".
void MarkCarriedErrors(std::vector<RankedLayer>& layers);

// Limits diagnoses of pruned models. Pruning changes outputs, and training afterwards compensates
// for it, so this is not damage: unexplained errors at or behind pruned weights are attributed to
// pruning and are at most amber.
void MarkPrunedOutputs(std::vector<RankedLayer>& layers);

}  // namespace cboard::analysis
