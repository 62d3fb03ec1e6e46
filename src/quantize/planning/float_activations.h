// Keeps activations of a plan in float, and computes the share of multiplications in float.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cboard/quantize/plan.h"
#include "cboard/quantize/statistics.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

// Borrows the graph and the placement.
class FloatActivations {
 public:
  FloatActivations(const Graph& graph, const Placement& placement, const Statistics& statistics);

  // Keeps the tensor, and those that share its scale, in float. Layers that use or produce them
  // compute in float with 8-bit weights, and get a reason that says so.
  void Release(const std::string& tensor, Plan& plan) const;

  // Returns the share of all layers' multiplications that a plan computes in float.
  double FloatShare(const Plan& plan) const;

 private:
  bool IsInteger(const Node& node, const Plan& plan) const;
  // Returns the quantized output tensor of a layer, after a following Relu or Clip.
  std::string OutputOf(const Node& node, const Plan& plan) const;

  const Graph& graph_;
  GraphIndex index_;
  const Placement& placement_;
  std::map<std::size_t, double> multiplications_;  // By node.
};

}  // namespace cboard::quantize
