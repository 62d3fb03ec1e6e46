// What to do about a layer, the cheapest that is good enough first.
#pragma once

#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/measure/output_ranges.h"

namespace cboard::compare {

// `tried` are quantizers of the layer's weights, `for_output` is what FixOutput gave if the output
// is hurt. Empty for layers that are green.
std::vector<Fix> RankFixes(const LayerComparison& layer, std::vector<Fix> tried,
                           const std::vector<Fix>& for_output, const Thresholds& thresholds);

// What would help the output of a layer, whose channels matter this much (or all the same, when
// `importance` is empty). `values` are the baseline's, `grid` is that of the quantizer in use.
std::vector<Fix> FixOutput(const LayerComparison& layer, const std::vector<double>& importance,
                           const ValueBins& values, const tensor::QuantizationGrid& grid);

}  // namespace cboard::compare
