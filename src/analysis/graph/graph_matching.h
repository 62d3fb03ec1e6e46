// Which node of one graph is which of another.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

// Of each node of `a` its partner in `b`, or kNoNode; each of `b` is the partner of at most one.
std::vector<std::uint32_t> MatchNodes(const Graph& a, const Graph& b);

}  // namespace cboard::analysis
