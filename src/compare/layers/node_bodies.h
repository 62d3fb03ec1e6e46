// Nodes inside the bodies of If, Loop and Scan, whose names ModelGraph begins with the node around
// them and the attribute that the body is: "If_0/then_branch/conv".
#pragma once

#include <string>
#include <string_view>

#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"

namespace cboard::compare {

// The bodies that a node is in, from the outermost: "then_branch", "body/else_branch"; empty in the
// main graph. The nodes that have these bodies are not named: converters call them as they like.
std::string BodiesAround(const model::ModelGraph& model, const model::ModelNode& node);

// The node's name in the file, as other programs show it: "conv". Lives as long as the node.
std::string_view NameInFile(const model::ModelGraph& model, const model::ModelNode& node);

// The name of a tensor in the file, and the graph that contains it.
struct TensorInFile {
  std::string name;
  runtime::GraphPlace in;
};

// Finds an input or output of `node`: in the body of the node, or in a graph around it.
TensorInFile FindInFile(const model::ModelGraph& model, model::TensorId tensor,
                        const model::ModelNode& node);

}  // namespace cboard::compare
