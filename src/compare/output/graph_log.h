// Writes the graph of a model for TensorBoard, with the results of a comparison at its nodes.
#pragma once

#include <map>
#include <string>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// The compared layers, by the name of the layer's node.
using NodeFindings = std::map<std::string, const LayerComparison*, std::less<>>;

struct GraphLog {
  std::string graph_def;
  // The size of each node's weights in bytes. TensorBoard can color the graph by it.
  std::string resources;
};

// Nodes have the same names as in the file, without a leading slash, so that TensorBoard groups
// them by scope. Weights are not nodes: they are attributes of the nodes that use them, with their
// first 16 values. If a file has only weights, each tensor is a node. Other attributes are the bit
// width of the weights, and level, cause, bits and SQNR from `findings`.
GraphLog BuildGraphLog(const model::ModelGraph& model, const NodeFindings& findings);

}  // namespace cboard::compare
