// Ranks the fixes for a layer: the cheapest that is good enough first.
#pragma once

#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/measure/output_ranges.h"

namespace cboard::compare {

// `tried` are quantizers of the layer's weights; `for_output` is the result of FixOutput if the
// output is damaged. Empty for green layers.
std::vector<Fix> RankFixes(const LayerComparison& layer, std::vector<Fix> tried,
                           const std::vector<Fix>& for_output, const Thresholds& thresholds);

// Fixes for the output of a layer. `importance` weights its channels (equally, if empty). `values`
// are the baseline's; `grid` belongs to the quantizer in use.
std::vector<Fix> FixOutput(const LayerComparison& layer, const std::vector<double>& importance,
                           const ValueBins& values, const tensor::QuantizationGrid& grid);

}  // namespace cboard::compare
