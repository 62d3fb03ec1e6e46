// Selects the layer outputs at which --verify measures the SQNR.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Returns the positions of the last compared layers (no compared layer reads their outputs) in the
// order of execution, at most 16. Skips layers whose SQNR is infinite, because it cannot improve.
std::vector<std::size_t> FindVerifiedHeads(const model::ModelGraph& baseline,
                                           const std::vector<RestorableLayer>& layers,
                                           const ModelComparison& comparison);

// Explains why no output can be measured by --verify.
std::string NoHeadsReason(const ModelComparison& comparison);

// Mean SQNR of all outputs; 80 dB or more counts as exact.
double MeanOverHeads(const std::vector<double>& dbs);

}  // namespace cboard::compare
