// Embedding tables of 8 bits: rows of codes are gathered and multiplied by the scales of their
// rows.
#pragma once

#include <vector>

#include "cboard/quantize/plan.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Replaces the Gather nodes of role kTable in `to`, whose first nodes are those of `from`; further
// nodes go to `added`.
void QuantizeTables(const Graph& from, const Placement& placement, const Plan& plan, Graph& to,
                    std::vector<Node>& added);

}  // namespace cboard::quantize
