// Finds an order in which the nodes of a graph can run.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/reader/graph_query.h"

namespace cboard::analysis {

// Orders nodes so that each comes after its inputs. If several nodes could be next, the first one
// in the file is next. Nodes of a cycle come last, in the order of the file.
std::vector<std::uint32_t> OrderOfComputation(const reader::Graph& graph);

}  // namespace cboard::analysis
