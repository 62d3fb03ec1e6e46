// Measures the output of the network with parts of the compressed model restored to float.
#pragma once

#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Sets `verified` and what goes with it in a comparison that is complete otherwise; `layers` are
// its layers, in its order. ONNX Runtime errors are stored per run.
// Fails as OpenSamples and ModelCapture do for the models as they are.
Result<void> VerifyComparison(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                              const std::vector<RestorableLayer>& layers,
                              const CompareOptions& options, ModelComparison& comparison);

}  // namespace cboard::compare
