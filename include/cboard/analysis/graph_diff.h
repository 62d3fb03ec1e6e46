// Two graphs of the same model as one: what stayed, changed, came, went, and was fused into what.
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

// "same", "changed", "added", "gone", "fused".
std::string_view NameOf(NodeChange change);

struct DiffNode {
  std::uint32_t a = kNoNode;  // Index in each graph.
  std::uint32_t b = kNoNode;
  NodeChange change = NodeChange::kSame;
  std::uint32_t fused_into = kNoNode;  // Index in GraphDiff::nodes; of kFused only.
};

enum GraphSides : std::uint8_t { kInA = 1, kInB = 2, kInBoth = 3 };

struct DiffEdge {
  std::uint32_t from = 0;  // Indices in GraphDiff::nodes.
  std::uint32_t to = 0;
  std::uint8_t sides = kInA;
  bool control = false;
};

// One line for people: 20 BatchNormalization were fused into QLinearConv.
struct DiffSummaryLine {
  NodeChange change = NodeChange::kSame;
  std::size_t count = 0;
  std::string op = {};     // Operation in A; in B for added nodes.
  std::string other = {};  // Node of B that it was fused into or replaced by; may be empty.
  // Differences of a changed node of the same operation, the most frequent first: "weight bits",
  // "strides". At most kMaxDifferences.
  std::vector<std::string> whats = {};
};
inline constexpr std::size_t kMaxDifferences = 4;

struct GraphDiff {
  std::vector<DiffNode> nodes = {};  // Those of A in their order, then those that only B has.
  // Edges of both graphs, each once. An edge out of B's node conv1 starts at the last operation
  // that was fused into it, where A has it; and where B has a quantize node between two nodes, A's
  // edge passes through its place. So an edge may pass a node that its side does not have.
  std::vector<DiffEdge> edges = {};
  std::vector<DiffSummaryLine> summary = {};  // By change, most first; without constants.
};

// One graph alone: every node is kSame and in A only.
GraphDiff DiffOfOne(const reader::Graph& graph);

// Nodes are the same by their whole name; without what quantization appends to it
// (conv1_quantized, Conv2D_eightbit_requantize); by the layer that they are, where names say it
// (Net/Conv2d_0/conv1 and Net/ConvReLU2d_0/conv1); as the only inputs or outputs of an operation;
// or as the only ones of an operation between neighbours that are the same. A node that is gone was
// fused into the one before it when that one computes something and had no other user; operations
// that do nothing at inference are removed. A node of both graphs has changed if NodeComparer finds
// a difference. Takes time in proportion to the graphs.
GraphDiff DiffGraphs(const MeasuredGraph& a, const MeasuredGraph& b);

}  // namespace cboard::analysis
