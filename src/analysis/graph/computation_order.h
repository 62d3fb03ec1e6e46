// The order in which the nodes of a graph can run.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

// Orders nodes so that each comes after its inputs; among nodes that could run next, the first in
// the file comes first. Nodes of a cycle come last, in the order of the file.
std::vector<std::uint32_t> OrderOfComputation(const reader::Graph& graph);

}  // namespace cboard::analysis
