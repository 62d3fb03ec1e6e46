// Where the boxes and lines of a graph go: in ranks from top to bottom, so that lines run downward,
// with few crossings and straight long lines. Sugiyama's method, in time that grows almost
// linearly:
//
//   1. lines that would close a circle are turned around,
//   2. every node gets the rank after the last of its predecessors,
//   3. lines over several ranks pass through a place of their own in each, which all lines of a
//      node share, so that a value used by a thousand nodes is one line with a thousand branches,
//   4. the order inside ranks follows the mean place of neighbours, back and forth,
//   5. columns are aligned by the method of Brandes and Köpf.
//
// The same input always gives the same picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cboard::analysis {

// A box, measured from the vertical through which its lines pass.
struct LayoutNode {
  enum class Place : std::uint8_t { kAnywhere, kTop, kBottom };

  double left = 0;
  double right = 0;
  double height = 0;
  Place place = Place::kAnywhere;  // kTop and kBottom: on the border of what is laid out.
};

// Where the two ends differ from the vertical of their boxes, say so; most are 0.
struct LayoutEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double from_offset = 0;
  double to_offset = 0;
};

struct LayoutOptions {
  double node_gap = 20;      // Between boxes of a rank.
  double line_gap = 10;      // Between lines of a rank.
  double straight_gap = 12;  // Between ranks when all lines run straight down.
  double bend_gap = 26;      // Between ranks when some do not.
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
  std::vector<LayoutPoint> tops;  // By node: its centre line and its upper edge.
  std::vector<std::uint32_t> ranks;
  // Points of each edge, from the lower edge of `from` to the upper edge of `to`, or the other way
  // round if the edge was reversed. Empty for an edge from a node to itself, and for edges across
  // so many ranks that lines would outnumber boxes many times.
  std::vector<std::vector<LayoutPoint>> routes;
};

// Indices of edges must be below nodes.size().
GraphLayout LayOut(std::span<const LayoutNode> nodes, std::span<const LayoutEdge> edges,
                   const LayoutOptions& options = {});

}  // namespace cboard::analysis
