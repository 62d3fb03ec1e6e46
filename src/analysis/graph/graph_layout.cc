#include "cboard/analysis/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "analysis/graph/component_layout.h"
#include "cboard/base/check.h"

namespace cboard::analysis {
namespace {

using Place = LayoutNode::Place;

// Ratio of width to height of the picture when components are placed in rows.
constexpr double kAspect = 1.6;

// Disjoint sets of nodes (union-find with path halving).
class Sets {
 public:
  explicit Sets(std::size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), 0u);
  }
  std::uint32_t Find(std::uint32_t node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }
  // Keeps the smaller index, so that sets are numbered in the order of their first node.
  void Join(std::uint32_t a, std::uint32_t b) {
    a = Find(a);
    b = Find(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parents_;
};

// Joins all nodes with lines to the border into one component. This component reaches from the top
// to the bottom.
std::vector<Component> Components(std::span<const LayoutNode> nodes,
                                  std::span<const LayoutEdge> edges) {
  Sets sets(nodes.size());
  for (const LayoutEdge& edge : edges) sets.Join(edge.from, edge.to);
  std::optional<std::uint32_t> border;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].place == Place::kAnywhere) continue;
    if (border) sets.Join(*border, i);
    border = i;
  }
  std::vector<Component> components;
  std::vector<std::uint32_t> index_of(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t set = sets.Find(i);
    if (set == i) {
      index_of[i] = static_cast<std::uint32_t>(components.size());
      components.emplace_back();
    }
    components[index_of[set]].nodes.push_back(i);
  }
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    components[index_of[sets.Find(edges[i].from)]].edges.push_back(i);
  }
  std::ranges::stable_sort(components, [](const Component& a, const Component& b) {
    return a.nodes.size() > b.nodes.size();
  });
  return components;
}

// Places components in rows, the largest first.
void PackRows(std::span<const LayoutNode> nodes, const std::vector<Component>& components,
              const LayoutOptions& options, GraphLayout& layout) {
  double area = 0, widest = 0;
  for (const Component& component : components) {
    const double gap = component.nodes.size() > 1 ? options.component_gap : options.node_gap;
    area += (component.width + gap) * (component.height + gap);
    widest = std::max(widest, component.width);
  }
  const double row_width = std::max(widest, std::sqrt(area * kAspect));
  double x = 0, y = 0, row_height = 0;
  bool small = components.front().nodes.size() == 1;
  for (const Component& component : components) {
    const bool is_single = component.nodes.size() == 1;
    // Single boxes get rows of their own, with smaller gaps.
    const bool first_single = is_single && !small;
    if (x > 0 && (first_single || x + component.width > row_width)) {
      y += row_height + (small ? options.straight_gap : options.component_gap);
      x = row_height = 0;
    }
    small = is_single;
    for (const std::uint32_t node : component.nodes) {
      layout.tops[node].x += x;
      layout.tops[node].y += y;
      layout.width = std::max(layout.width, layout.tops[node].x + nodes[node].right);
    }
    for (const std::uint32_t edge : component.edges) {
      for (LayoutPoint& point : layout.routes[edge]) {
        point.x += x;
        point.y += y;
      }
    }
    row_height = std::max(row_height, component.height);
    layout.width = std::max(layout.width, x + component.width);
    layout.height = std::max(layout.height, y + component.height);
    x += component.width + (is_single ? options.node_gap : options.component_gap);
  }
}

}  // namespace

GraphLayout LayOut(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                   const LayoutOptions& options) {
  GraphLayout layout;
  layout.tops.resize(nodes.size());
  layout.ranks.resize(nodes.size());
  layout.routes.resize(edges.size());
  if (nodes.empty()) return layout;
  for (const LayoutEdge& edge : edges) {
    CBOARD_CHECK(edge.from < nodes.size() && edge.to < nodes.size());
  }
  std::vector<Component> components = Components(nodes, edges);
  std::vector<std::uint32_t> local(nodes.size());
  for (Component& component : components) {
    for (std::uint32_t i = 0; i < component.nodes.size(); ++i) local[component.nodes[i]] = i;
    if (component.nodes.size() == 1) {
      const LayoutNode& node = nodes[component.nodes.front()];
      layout.tops[component.nodes.front()] = {node.left, 0};
      component.width = node.left + node.right;
      component.height = node.height;
    } else {
      LayOutComponent(nodes, edges, local, options, component, layout);
    }
  }
  PackRows(nodes, components, options, layout);
  return layout;
}

}  // namespace cboard::analysis
