// The outputs of a network that runs with restored parts are measured at.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Positions of the layers with no compared layer behind them, in order, at most 16; without those
// that cannot change.
std::vector<std::size_t> FindVerifiedHeads(const model::ModelGraph& baseline,
                                           const std::vector<RestorableLayer>& layers,
                                           const ModelComparison& comparison);

// Explains why there is no output to measure.
std::string NoHeadsReason(const ModelComparison& comparison);

// Mean SQNR of all outputs; 80 dB or more counts as exact.
double MeanOverHeads(const std::vector<double>& dbs);

}  // namespace cboard::compare
