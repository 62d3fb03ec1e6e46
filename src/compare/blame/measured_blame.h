// Measures which parts damage broken or degraded outputs, within a time limit, and which fixes
// help.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Fills `verdict.suspects` of a comparison that is complete otherwise, and makes the layers of the
// root causes the worst ones: red if the outputs are broken. Layers that are red by their own
// figures become amber if the outputs recover without undoing them. `layers` are those of the
// comparison, in its order. If blame cannot be measured, only fills `verdict.blame_note`.
void MeasureBlame(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                  const std::vector<RestorableLayer>& layers, const CompareOptions& options,
                  ModelComparison& comparison);

}  // namespace cboard::compare
