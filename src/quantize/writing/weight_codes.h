// Stores weights in 8 bits with a scale per channel, followed by DequantizeLinear.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cboard/quantize/plan.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

// Returns the codes of a weight, row-major.
std::vector<std::int8_t> QuantizeWeight(const Constant& weight, const WeightPlan& plan);

// Adds codes, scales and zero points to the graph, and a DequantizeLinear to `added`. Returns its
// output.
std::string AddWeightCodes(Graph& graph, const Constant& weight, const WeightPlan& plan,
                           std::vector<Node>& added);

// Codes of any type for AddConstantCodes; without zero points if `zero_points` is empty. An axis of
// -1 means a single scale.
struct ConstantCodes {
  std::string name;
  int element_type = kInt8;
  std::vector<std::int64_t> shape;
  std::string codes;
  std::vector<float> scales;
  std::string zero_points;
  std::int64_t axis = -1;
};
std::string AddConstantCodes(Graph& graph, ConstantCodes codes, std::vector<Node>& added);

// Makes `bias` the input `input` of a node, under a name from that of its layer.
void SetBias(Graph& graph, Node& node, std::size_t input, const std::string& layer,
             const std::vector<float>& bias);

}  // namespace cboard::quantize
