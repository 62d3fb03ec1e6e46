// The constants that a node uses, with their first values if the log contains values.
//
//   for (const NodeValues& weight : WeightsOf(graph, 3)) …  // "conv.weight: int8 [8, 3, 3, 3]"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/graph_facts.h"

namespace cboard::analysis {

struct NodeValues {
  std::string name = {};  // With type and shape, where they are logged apart from the values.
  std::string values =
      {};  // "0.5, -0.25, …"; of a constant of TensorFlow behind its type and shape.
};

// True for attributes that contain the first values of a weight: "first_values/1". Comparisons of
// two models log such attributes.
bool IsFirstValues(std::string_view key);

// The value of a constant of a TensorFlow graph, with type and shape; null if the value was not
// logged.
const std::string* ValueOf(const reader::GraphNode& constant);

// Returns the constants of a node that have logged values, in the order of the node's inputs:
// values that a comparison logged as attributes, and constants of a TensorFlow graph. Empty if the
// log has no values.
std::vector<NodeValues> WeightsOf(const MeasuredGraph& measured, std::uint32_t node);

}  // namespace cboard::analysis
