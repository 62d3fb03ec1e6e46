// Which node of one graph is which of another.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

// Of each node of `a` its partner in `b`, or kNoNode; each of `b` is the partner of at most one.
std::vector<std::uint32_t> MatchNodes(const MeasuredGraph& a, const MeasuredGraph& b);

}  // namespace cboard::analysis
