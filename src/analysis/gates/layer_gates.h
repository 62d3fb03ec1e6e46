// Checks gates on layers.
#pragma once

#include "cboard/analysis/gates.h"
#include "cboard/analysis/variant_comparison.h"

namespace cboard::analysis {

// Returns true if the pattern matches the layer's name in the baseline or in the variant.
bool MatchesLayer(std::string_view pattern, const RankedLayer& layer);

// Checks the layers of one variant. The caller sets gate, model and variant of the result.
//
// A layer without the metric is skipped: an activation has no weights. The outcome is kMissing if a
// pattern finds no layer with the metric, or if a layer could not be read.
GateResult CheckLayers(const Gate& gate, const LayerRanking& ranking);

// Declares checks of gates on whole variants, against the comparison table.

// Checks one variant. The caller sets gate, model and variant of the result.
GateResult CheckRow(const Gate& gate, const ComparisonTable& table,
                    const VariantComparison& comparison, const SeriesReader& series);

}  // namespace cboard::analysis
