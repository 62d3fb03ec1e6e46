// Lists the differences between two paired nodes, one of each graph: their attributes, bit widths,
// scales and zero points.
//
//   const NodeComparer comparer(fp32, int8);
//   for (const auto& [what, a, b] : comparer.Compare(node, other)) …  // "weight bits", "32", "8"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

// One difference between two nodes. The text of a side that lacks the property is empty.
struct NodeDifference {
  std::string what = {};
  std::string a = {};
  std::string b = {};
};

// Compares the nodes of two graphs. Borrows both graphs, which must outlive it. Several threads may
// use it at once.
class NodeComparer {
 public:
  // Prepares a comparison of two graphs. Takes linear time. Comparing all pairs afterwards takes
  // linear time, too.
  NodeComparer(const MeasuredGraph& a, const MeasuredGraph& b);

  // Returns the differences between node `a` of A and node `b` of B; empty if they are equal.
  // Operator, device, output shape and bit widths come first, then attributes by name. A shape or
  // bit width that only one node has is not a difference. An annotation node ("conv1.weights")
  // describes the quantization of a part of a layer; its attributes are named after the part:
  // "weights scale". Attributes of a constant keep their names.
  std::vector<NodeDifference> Compare(std::uint32_t a, std::uint32_t b) const;

 private:
  // The nodes that describe another node: its annotation nodes, and the constants that a quantize
  // operator uses, in the order of its inputs.
  struct Side {
    explicit Side(const MeasuredGraph& measured);

    const MeasuredGraph& measured;
    // For each node: the indices of the nodes that describe it. Empty for most nodes.
    std::vector<std::vector<std::uint32_t>> about = {};
  };

  void CompareAnnotations(std::uint32_t a, std::uint32_t b, std::vector<NodeDifference>& to) const;
  void CompareConstants(std::uint32_t a, std::uint32_t b, std::vector<NodeDifference>& to) const;

  Side a_;
  Side b_;
};

}  // namespace cboard::analysis
