// Quantizes embedding tables to 8 bits: rows of codes are gathered and multiplied by their
// scales.
#pragma once

#include <vector>

#include "cboard/quantize/plan.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Replaces the Gather nodes of role kTable in `to`, whose first nodes are those of `from`; adds new
// nodes to `added`.
void QuantizeTables(const Graph& from, const Placement& placement, const Plan& plan, Graph& to,
                    std::vector<Node>& added);

}  // namespace cboard::quantize
