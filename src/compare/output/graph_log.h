// The graph of a model as TensorBoard shows it, with what was found on its nodes.
#pragma once

#include <map>
#include <string>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Results by node name.
using NodeFindings = std::map<std::string, const LayerComparison*, std::less<>>;

struct GraphLog {
  std::string graph_def;
  // Bytes of weights by node, under the same names: TensorBoard's memory colouring.
  std::string resources;
};

// Nodes are called as in the file, without a slash in front, so that TensorBoard groups them by
// scope; weights that nodes use are attributes, not nodes. A file of weights alone has a node per
// tensor. The width of weights is an attribute, and so are level, cause, bits and SQNR of
// `findings` at their nodes.
GraphLog BuildGraphLog(const model::ModelGraph& model, const NodeFindings& findings);

}  // namespace cboard::compare
