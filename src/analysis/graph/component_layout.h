// Lays out one connected component of a graph; graph_layout.cc places the components side by
// side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cboard/analysis/graph_layout.h"

namespace cboard::analysis {

struct Component {
  std::vector<std::uint32_t> nodes;  // Indices of nodes in the whole graph.
  std::vector<std::uint32_t> edges;
  double width = 0;
  double height = 0;
};

// Writes positions and routes of `component` into `layout`, beginning at (0, 0), and its size into
// the component. `local` maps each node of the graph to its index in component.nodes.
void LayOutComponent(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                     const std::vector<std::uint32_t>& local, const LayoutOptions& options,
                     Component& component, GraphLayout& layout);

}  // namespace cboard::analysis
