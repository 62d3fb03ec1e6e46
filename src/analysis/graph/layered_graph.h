// A graph whose nodes are arranged in ranks. Every line connects neighbouring ranks: longer lines
// are divided by bends; a bend is a node without a box. Each step of graph_layout.h adds data to
// the graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cboard::analysis {

// Neighbours of all nodes, stored in one array.
class Neighbours {
 public:
  struct Link {
    std::uint32_t node = 0;
    std::uint32_t line = 0;  // Index of the line to the neighbour.
  };

  Neighbours() = default;
  // `of` and `to` contain the two ends of each line. The result is grouped by `of`, and keeps the
  // order of the lines.
  Neighbours(std::size_t node_count, std::span<const std::uint32_t> of,
             std::span<const std::uint32_t> to)
      : begins_(node_count + 1, 0), links_(of.size()) {
    for (const std::uint32_t node : of) ++begins_[node + 1];
    for (std::size_t i = 1; i <= node_count; ++i) begins_[i] += begins_[i - 1];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::uint32_t i = 0; i < of.size(); ++i) links_[next[of[i]]++] = {to[i], i};
  }

  std::span<const Link> operator[](std::size_t node) const {
    return std::span(links_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }
  std::span<Link> operator[](std::size_t node) {
    return std::span(links_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<Link> links_;
};

struct LayeredGraph {
  std::vector<std::uint32_t> ranks;
  std::vector<double> lefts;
  std::vector<double> rights;
  std::size_t box_count = 0;  // Number of boxes; all later nodes are bends.
  std::size_t line_count = 0;
  Neighbours above;  // Sorted by place, once the order is known.
  Neighbours below;
  std::vector<std::vector<std::uint32_t>> order;  // Nodes of each rank, from left to right.
  std::vector<std::uint32_t> places;              // Position of each node in its rank.

  std::size_t size() const { return ranks.size(); }
  bool IsDummyNode(std::uint32_t node) const { return node >= box_count; }
};

// An edge between two nodes of a graph without cycles.
struct RankedEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool turned = false;  // The edge was reversed to remove a cycle.
};

// Reverses edges until no cycle is left. Edges from a node to itself have from == to, and callers
// must ignore them.
std::vector<RankedEdge> WithoutCycles(std::size_t node_count, std::span<const RankedEdge> edges);

// Assigns ranks from 0 along the edges, and moves nodes near their users. The edges must have no
// cycles.
std::vector<std::uint32_t> AssignRanks(std::size_t node_count, std::span<const RankedEdge> edges);

// Orders the nodes of each rank so that few lines cross; sets `order` and `places`, and sorts
// neighbours by place.
void OrderRanks(LayeredGraph& graph);

// Counts the pairs of lines that cross in the current order.
std::uint64_t CountCrossings(const LayeredGraph& graph);

// Computes the x coordinate of each node, with gaps between boxes and lines.
std::vector<double> AlignColumns(const LayeredGraph& graph, double node_gap, double line_gap);

}  // namespace cboard::analysis
