// Weights that cannot be converted to real values. Comparing their codes would be meaningless, and
// leaving them out silently would hide the layer.
#pragma once

#include <string>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Returns true for codes of the node's operator whose scales do not fit them.
bool HasUnreadWeights(const model::ModelGraph& model, const model::ModelNode& node);

// A sentence for each reason: "MatMulNBits 'fc_Q4' of 'int4.onnx' is not compared: …".
std::vector<std::string> UnreadWeights(const model::ModelGraph& model);

}  // namespace cboard::compare
