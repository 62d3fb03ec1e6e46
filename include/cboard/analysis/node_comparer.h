// How the two nodes of a pair differ: in themselves, in their widths, in what is noted about them,
// and in the constants that they quantize with.
//
//   const NodeComparer comparer(fp32, int8);
//   for (const auto& [what, a, b] : comparer.Compare(3, 4)) …  // "weight bits", "32", "8"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

// One thing that differs; a side that lacks it is empty.
struct NodeDifference {
  std::string what = {};
  std::string a = {};
  std::string b = {};
};

// Borrows both graphs, which must outlive it. May be used by many threads at once.
class NodeComparer {
 public:
  // Takes time in proportion to the graphs, so that comparing all pairs does too.
  NodeComparer(const MeasuredGraph& a, const MeasuredGraph& b);

  // Node `a` of A against node `b` of B, nothing when they are the same. Operation, device, output
  // shape and widths come first, then attributes by name. A shape or a width that one side does not
  // say is no difference. Attributes of a note ("conv1.weights") begin with its name:
  // "weights scale"; attributes of a constant do not.
  std::vector<NodeDifference> Compare(std::uint32_t a, std::uint32_t b) const;

 private:
  // Nodes that say more about another one: its notes, and the constants that a quantizing operation
  // uses, in the order of its inputs.
  struct Side {
    explicit Side(const MeasuredGraph& measured);

    const MeasuredGraph& measured;
    std::vector<std::vector<std::uint32_t>> about = {};  // By node; mostly empty.
  };

  void CompareAnnotations(std::uint32_t a, std::uint32_t b, std::vector<NodeDifference>& to) const;
  void CompareConstants(std::uint32_t a, std::uint32_t b, std::vector<NodeDifference>& to) const;

  Side a_;
  Side b_;
};

}  // namespace cboard::analysis
