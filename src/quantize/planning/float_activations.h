// Activations that stay float in a plan, and how many multiplications thereby do.
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

  // The tensor, and those that share its scale, stay float. Layers that take or give them compute
  // in float with weights of 8 bits; their reason says so.
  void Release(const std::string& tensor, Plan& plan) const;

  // The share of the multiplications of all layers that a plan computes in float.
  double FloatShare(const Plan& plan) const;

 private:
  bool IsInteger(const Node& node, const Plan& plan) const;
  // The quantized tensor that a layer gives: its output, or that behind Relu and Clip.
  std::string OutputOf(const Node& node, const Plan& plan) const;

  const Graph& graph_;
  GraphIndex index_;
  const Placement& placement_;
  std::map<std::size_t, double> multiplications_;  // By node.
};

}  // namespace cboard::quantize
