// Places the boxes and lines of a graph in ranks from top to bottom. Lines run downward,
// with few crossings and long straight parts. Uses Sugiyama's method, in nearly linear
// time:
//
//   1. Lines that would close a cycle are reversed.
//   2. Every node gets the rank after the last of its predecessors.
//   3. A line that crosses ranks gets a place in each of them. All lines of a node share that
//      place, so a value used by a thousand nodes is one line with a thousand branches.
//   4. Nodes of a rank are sorted by the mean position of their neighbours, in both directions.
//   5. Columns are aligned by the method of Brandes and Köpf.
//
// The same input always gives the same layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cboard::analysis {

// The size of a box: the distances from its left and right border to the vertical line through
// which its edges pass, and its height.
struct LayoutNode {
  enum class Place : std::uint8_t { kAnywhere, kTop, kBottom };

  double left = 0;
  double right = 0;
  double height = 0;
  Place place = Place::kAnywhere;  // kTop and kBottom place the node on the border of the layout.
};

// An edge of the graph. Its offsets are the distances of its ends from the vertical lines of their
// boxes; most are 0.
struct LayoutEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double from_offset = 0;
  double to_offset = 0;
};

struct LayoutOptions {
  double node_gap = 20;      // Between boxes of a rank.
  double line_gap = 10;      // Between lines of a rank.
  double straight_gap = 12;  // Between ranks if all lines run straight down.
  double bend_gap = 26;      // Between ranks if some lines bend.
  double component_gap = 32;
};

struct LayoutPoint {
  double x = 0;
  double y = 0;

  friend bool operator==(const LayoutPoint&, const LayoutPoint&) = default;
};

struct GraphLayout {
  double width = 0;
  double height = 0;
  std::vector<LayoutPoint> tops;  // By node: x of its centre line and y of its upper edge.
  std::vector<std::uint32_t> ranks;
  // Points of each edge, from the lower edge of the box `from` to the upper edge of the box `to`.
  // If the edge was reversed, the points are in the other direction. Empty for an edge from a node
  // to itself, and for an edge across so many ranks that it would have far more points than the
  // graph has boxes.
  std::vector<std::vector<LayoutPoint>> routes;
};

// Computes the layout of a graph. Indices in `edges` must be below nodes.size().
GraphLayout LayOut(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                   const LayoutOptions& options = {});

}  // namespace cboard::analysis
