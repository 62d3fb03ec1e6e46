// Infers shapes of ONNX nodes with sliding windows: convolutions and poolings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

// Returns the shape of the first output of a convolution or pooling. Returns nullopt for other
// nodes, and if a shape is missing.
std::optional<std::vector<std::int64_t>> InferWindow(const ModelNode& node,
                                                     const std::vector<ModelTensor>& tensors);

}  // namespace cboard::model
