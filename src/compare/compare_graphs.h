// CompareModels for files that are open already.
#pragma once

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Opens the files again to run them, if `options` ask for samples.
Result<ModelComparison> CompareGraphs(const model::ModelGraph& baseline,
                                      const model::ModelGraph& variant,
                                      const CompareOptions& options);

}  // namespace cboard::compare
