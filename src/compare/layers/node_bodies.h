// Names of nodes inside the bodies (subgraphs) of If, Loop and Scan. In ModelGraph, such a name
// starts with the name of the If, Loop or Scan and the attribute that has the body:
// "If_0/then_branch/conv".
#pragma once

#include <string>
#include <string_view>

#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"

namespace cboard::compare {

// Returns the bodies that contain a node, from the outermost: "then_branch", "body/else_branch";
// empty in the main graph. Names of the If, Loop and Scan nodes are left out, because converters
// rename them.
std::string BodiesAround(const model::ModelGraph& model, const model::ModelNode& node);

// Returns the node's name without bodies, as other programs show it: "conv". Valid as long as the
// node.
std::string_view NameInFile(const model::ModelGraph& model, const model::ModelNode& node);

// The name of a tensor in the file, and the graph or body that contains the tensor.
struct TensorInFile {
  std::string name;
  runtime::GraphPlace in;
};

// Returns an input or output of `node`. The tensor is in the same body as the node or in a graph
// around it.
TensorInFile FindInFile(const model::ModelGraph& model, model::TensorId tensor,
                        const model::ModelNode& node);

}  // namespace cboard::compare
