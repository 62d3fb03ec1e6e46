// The ends of a network that runs with restored parts are measured at.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Positions of the layers behind which no other one was compared, the last one last, at most 16;
// without those that cannot change.
std::vector<std::size_t> FindVerifiedHeads(const model::ModelGraph& baseline,
                                           const std::vector<RestorableLayer>& layers,
                                           const ModelComparison& comparison);

// Why there is no end to measure at.
std::string NoHeadsReason(const ModelComparison& comparison);

// One number for the SQNRs of all ends: their mean, where 80 dB are as good as exact.
double MeanOverHeads(const std::vector<double>& dbs);

}  // namespace cboard::compare
