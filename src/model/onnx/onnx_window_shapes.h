// Shapes of ONNX nodes that slide a window: convolutions and poolings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

// The shape of the first output; nothing for other nodes and when a shape is missing.
std::optional<std::vector<std::int64_t>> InferWindow(const ModelNode& node,
                                                     const std::vector<ModelTensor>& tensors);

}  // namespace cboard::model
