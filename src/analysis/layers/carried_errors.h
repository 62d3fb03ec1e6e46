// Which tensors are hurt by themselves, and which only carry what others did. Outputs that were
// logged with the whole model running have the errors of all layers before them.
#pragma once

#include <vector>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {

// Outputs that fail by histograms alone are told apart by depth: with the first of them it starts,
// or with its weights, if these fail. Those behind it whose own weights do not fail may be its
// victims: `carried_from` says whose, and the cause becomes "carried".
void MarkCarriedErrors(std::vector<RankedLayer>& layers);

// Pruned weights give other outputs, and training after it made up for them. That is no fault to
// look for: what nothing else explains of outputs at or behind such weights is put down to pruning,
// and to be watched at most.
void MarkPrunedOutputs(std::vector<RankedLayer>& layers);

}  // namespace cboard::analysis
