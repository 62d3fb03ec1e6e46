// Matches the nodes of two graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

// Returns for each node of `a` its partner in `b`, or kNoNode; each node of `b` is the partner of
// at most one.
std::vector<std::uint32_t> MatchNodes(const MeasuredGraph& a, const MeasuredGraph& b);

}  // namespace cboard::analysis
