// Computes how many bytes of activations are alive while a graph runs, node by node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

struct RunningMemory {
  // Nodes in the order of computation; constants and annotation nodes are omitted.
  std::vector<std::uint32_t> nodes = {};  // Indices in the graph.
  // For each node: the bytes that are alive while it runs. These are its own outputs and every
  // earlier output that this node or a later node uses.
  std::vector<std::uint64_t> bytes = {};
  std::size_t peak = 0;            // Index in `nodes` and `bytes`; 0 if they are empty.
  std::size_t unknown_shapes = 0;  // Nodes without a shape; they count as 0 bytes.
};

// Computes the memory of a graph's activations. Nodes run in the order of the file where their
// inputs allow it. Outputs that no node uses stay alive to the end, because they are results.
RunningMemory RunMemory(const MeasuredGraph& graph);

}  // namespace cboard::analysis
