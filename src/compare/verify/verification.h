// Measures the model's output SQNR after parts of the compressed model are restored to float
// (--verify).
#pragma once

#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Sets `verified`, `verified_layers` and `why_not_verified` of an otherwise complete comparison.
// `layers` has the same order as the layers of the comparison. ONNX Runtime errors of edited models
// are stored with each run. Fails if the unedited models fail in OpenSamples or ModelCapture.
Result<void> VerifyComparison(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                              const std::vector<RestorableLayer>& layers,
                              const CompareOptions& options, ModelComparison& comparison);

}  // namespace cboard::compare
