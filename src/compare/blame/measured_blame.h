// Blame for a broken or degraded end, measured within a budget of time, and what would mend it.
#pragma once

#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/verify/restorable_parts.h"

namespace cboard::compare {

// Fills `verdict.suspects` of a comparison that is complete otherwise, and makes the layers of the
// root causes the worst ones: red where the end is broken. Layers that are red by their own figures
// become amber where the end recovers without undoing them. `layers` are those of the comparison,
// in its order. Does nothing but fill `verdict.blame_note` where blame cannot be measured.
void MeasureBlame(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                  const std::vector<RestorableLayer>& layers, const CompareOptions& options,
                  ModelComparison& comparison);

}  // namespace cboard::compare
