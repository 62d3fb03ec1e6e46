// Merges two graphs of the same model into one graph. In the result, each node is marked as
// unchanged, changed, added, removed, or fused into another node.
//
//   const GraphDiff diff = DiffGraphs(fp32, int8);
//   for (const DiffNode& node : diff.nodes) …  // conv1 in both, bn1 fused into conv1, quantize new
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

inline constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

enum class NodeChange : std::uint8_t { kSame, kChanged, kAdded, kGone, kFused };

// The name of a change: "same", "changed", "added", "gone", "fused".
std::string_view NameOf(NodeChange change);

struct DiffNode {
  std::uint32_t a = kNoNode;  // Index of the node in graph A.
  std::uint32_t b = kNoNode;
  NodeChange change = NodeChange::kSame;
  std::uint32_t fused_into = kNoNode;  // Index in GraphDiff::nodes; only for kFused.
};

enum GraphSides : std::uint8_t { kInA = 1, kInB = 2, kInBoth = 3 };

struct DiffEdge {
  std::uint32_t from = 0;  // Indices in GraphDiff::nodes.
  std::uint32_t to = 0;
  std::uint8_t sides = kInA;
  bool control = false;
};

// One line of the summary for users, for example: 20 BatchNormalization were fused into
// QLinearConv.
struct DiffSummaryLine {
  NodeChange change = NodeChange::kSame;
  std::size_t count = 0;
  std::string op = {};  // Operator in A; in B for added nodes.
  // For fused nodes: the operator of the node of B that contains them. For changed nodes: the
  // operator in B if it differs from the operator in A. Otherwise empty.
  std::string other = {};
  // Names of the properties that differ in changed nodes with the same operator in both graphs, the
  // most frequent first: "weight bits", "strides". At most kMaxDifferences.
  std::vector<std::string> whats = {};
};
inline constexpr std::size_t kMaxDifferences = 4;

struct GraphDiff {
  std::vector<DiffNode> nodes = {};  // Nodes of A in their order, then nodes that only B has.
  // The edges of both graphs; an edge of both graphs is listed once. The path of an edge may use
  // nodes that its own graph does not have. Example 1: several nodes of A were fused into conv1 of
  // B. An edge that leaves conv1 in B then starts at the last of these nodes of A. Example 2: B has
  // a quantize node between two nodes of A. The edge of A between the two nodes then passes through
  // the quantize node.
  std::vector<DiffEdge> edges = {};
  // Summary lines by kind of change, the most frequent first; constants are not included.
  std::vector<DiffSummaryLine> summary = {};
};

// Represents one graph as a diff: all nodes are in A only and are kSame.
GraphDiff DiffOfOne(const reader::Graph& graph);

// Compares two graphs. Two nodes correspond if one of these rules holds, tried in this order: equal
// names; equal names without the suffix that quantization appends (conv1_quantized,
// Conv2D_eightbit_requantize); the same layer by name (Net/Conv2d_0/conv1 and
// Net/ConvReLU2d_0/conv1); the only input or output of that operator; the only node of that
// operator between corresponding neighbours. A removed node counts as fused into its predecessor if
// the predecessor computes something and has no other consumer. Operators without effect at
// inference count as removed. A node that both graphs have is "changed" if NodeComparer finds a
// difference. Takes linear time.
GraphDiff DiffGraphs(const MeasuredGraph& a, const MeasuredGraph& b);

}  // namespace cboard::analysis
