// CompareModels for model files that are already open.
#pragma once

#include "cboard/compare/compare_options.h"
#include "cboard/compare/computed_outputs.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// If `options` ask for samples and `computed` is null, opens the files again to run them.
Result<ModelComparison> CompareGraphs(const model::ModelGraph& baseline,
                                      const model::ModelGraph& variant,
                                      const CompareOptions& options,
                                      const ComputedOutputs* computed = nullptr);

}  // namespace cboard::compare
