// Writes the graph of a model for TensorBoard, with the results of a comparison at its nodes.
#pragma once

#include <map>
#include <string>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// The compared layers, by the name of their node.
using NodeFindings = std::map<std::string, const LayerComparison*, std::less<>>;

struct GraphLog {
  std::string graph_def;
  // The bytes of weights of each node, by which TensorBoard can color the graph.
  std::string resources;
};

// Nodes are called as in the file, without a slash in front, so that TensorBoard groups them by
// scope; weights that nodes use are attributes, not nodes, with their first 16 values. A file of
// weights alone has a node per tensor. The width of weights is an attribute, and so are level,
// cause, bits and SQNR of `findings` at their nodes.
GraphLog BuildGraphLog(const model::ModelGraph& model, const NodeFindings& findings);

}  // namespace cboard::compare
