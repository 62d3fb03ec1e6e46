// Checks gates on layers.
#pragma once

#include "cboard/analysis/gates.h"
#include "cboard/analysis/variant_comparison.h"

namespace cboard::analysis {

// Matches the layer's name in the baseline or in the variant.
bool MatchesLayer(std::string_view pattern, const RankedLayer& layer);

// Checks the layers of one variant. Leaves gate, model and variant of the result to the caller.
//
// A layer without the figure is left out: an activation has no weights. But each pattern must find
// a layer that has it, and everything must have been readable; otherwise the outcome is kMissing.
GateResult CheckLayers(const Gate& gate, const LayerRanking& ranking);

// Checks gates on whole variants against the comparison table.

// Checks one variant. Leaves gate, model and variant of the result to the caller.
GateResult CheckRow(const Gate& gate, const ComparisonTable& table,
                    const VariantComparison& comparison, const SeriesReader& series);

}  // namespace cboard::analysis
