// Checks gates on whole variants against the comparison table.
#pragma once

#include "cboard/analysis/gates.h"
#include "cboard/analysis/variant_comparison.h"

namespace cboard::analysis {

// Checks one variant. Leaves gate, model and variant of the result to the caller.
GateResult CheckRow(const Gate& gate, const ComparisonTable& table,
                    const VariantComparison& comparison, const SeriesReader& series);

}  // namespace cboard::analysis
