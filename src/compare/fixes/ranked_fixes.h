// Ranks the fixes for a layer. The first fix is the cheapest fix that reaches the required SQNR.
#pragma once

#include <vector>

#include "cboard/compare/model_comparison.h"
#include "compare/measure/output_ranges.h"

namespace cboard::compare {

// Returns the ranked fixes; empty for green layers. `tried` are the quantizers that were tried on
// the layer's weights. `for_output` is the result of FixOutput if the output is damaged.
std::vector<Fix> RankFixes(const LayerComparison& layer, std::vector<Fix> tried,
                           const std::vector<Fix>& for_output, const Thresholds& thresholds);

// Returns fixes for the output of a layer. `importance` weights the channels; if it is empty, all
// channels have the same weight. `values` are the baseline's values, `grid` is the variant's
// quantization grid.
std::vector<Fix> FixOutput(const LayerComparison& layer, const std::vector<double>& importance,
                           const ValueBins& values, const tensor::QuantizationGrid& grid);

}  // namespace cboard::compare
