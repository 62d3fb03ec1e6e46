// Finds the causes of broken or degraded outputs by running the model with layers in float, within
// a time limit. Measures which fixes help.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Sets `verdict.suspects` of an otherwise complete comparison. Layers of the root causes move to
// the front of the list, and become red if the outputs are broken. Layers that are red by their own
// metrics become amber if the outputs recover without restoring these layers. `layers` are the
// layers of the comparison, in the same order. If nothing can be measured, sets only
// `verdict.blame_note`.
void MeasureBlame(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                  const std::vector<RestorableLayer>& layers, const CompareOptions& options,
                  ModelComparison& comparison);

}  // namespace cboard::compare
