// Weights that are in a file, but not in a form that we can turn into real values: comparing their
// codes would be nonsense, and saying nothing would look as if the layer was not there.
#pragma once

#include <string>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Whether these are codes of the node's operator, whose scales were not found to fit them.
bool HasUnreadWeights(const model::ModelGraph& model, const model::ModelNode& node);

// A sentence for each reason: "MatMulNBits 'fc_Q4' of 'int4.onnx' is not compared: …".
std::vector<std::string> UnreadWeights(const model::ModelGraph& model);

}  // namespace cboard::compare
