// Computes multiply-accumulates and memory of a node from the shapes of its tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

// Returns the number of elements of a tensor. An unknown batch size is counted as one. Returns
// nullopt if another dimension is unknown.
std::optional<std::uint64_t> ElementsOfOneSample(const ModelTensor& tensor);

// Returns the size in bytes of one sample of a tensor. Returns nullopt if the type has no fixed
// size.
std::optional<std::uint64_t> BytesOfOneSample(const ModelTensor& tensor);

// Returns the multiply-accumulates of a convolution or matrix product, and 0 for other nodes.
// Returns nullopt if a shape is missing or the node is not supported (attention, and recurrent
// nodes of formats other than ONNX).
std::optional<std::uint64_t> CountMacs(ModelFormat format, const ModelNode& node,
                                       const std::vector<ModelTensor>& tensors);

}  // namespace cboard::model
