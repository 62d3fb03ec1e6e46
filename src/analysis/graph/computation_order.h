// The order in which the nodes of a graph can run.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

// Every node after all it uses, of those that could run next the first of the file. What is left is
// in a circle and comes last, in the order of the file.
std::vector<std::uint32_t> OrderOfComputation(const reader::Graph& graph);

}  // namespace cboard::analysis
