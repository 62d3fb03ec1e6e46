// How many bytes of activations are alive while a graph runs, one operation after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

struct RunningMemory {
  // In the order of computation; constants and notes are left out.
  std::vector<std::uint32_t> nodes = {};  // Indices in the graph.
  // While each runs: its outputs, and every output before it that it or a later one uses.
  std::vector<std::uint64_t> bytes = {};
  std::size_t peak = 0;            // Index in both; 0 when they are empty.
  std::size_t unknown_shapes = 0;  // Operations without a shape, which count as nothing.
};

// Operations run in the order of the file where that is possible. Outputs that nothing uses stay to
// the end: they are the result.
RunningMemory RunMemory(const MeasuredGraph& graph);

}  // namespace cboard::analysis
