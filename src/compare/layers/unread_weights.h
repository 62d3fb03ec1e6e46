// Finds quantized weights that cannot be converted to real values. They are not compared, and a
// note says so, because a layer must not be left out silently.
#pragma once

#include <string>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Returns true if the node has quantized weights whose scales are missing or do not fit.
bool HasUnreadWeights(const model::ModelGraph& model, const model::ModelNode& node);

// Returns a note for each reason: "MatMulNBits 'fc_Q4' of 'int4.onnx' is not compared: …".
std::vector<std::string> UnreadWeights(const model::ModelGraph& model);

}  // namespace cboard::compare
