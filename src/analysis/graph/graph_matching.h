// Matches the nodes of two graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

// Returns the partner in `b` of each node of `a`, or kNoNode; each node of `b` is the partner of at
// most one node.
std::vector<std::uint32_t> MatchNodes(const MeasuredGraph& a, const MeasuredGraph& b);

}  // namespace cboard::analysis
