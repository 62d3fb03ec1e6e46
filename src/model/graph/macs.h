// How much work and memory a node is, from the shapes of its tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model {

// The elements of a tensor when an unknown first dimension, the batch, is one; nothing when
// another one is unknown.
std::optional<std::uint64_t> ElementsOfOneSample(const ModelTensor& tensor);

// The bytes of that many elements; nothing when the type has no fixed size.
std::optional<std::uint64_t> BytesOfOneSample(const ModelTensor& tensor);

// Multiply-accumulates of a convolution or matrix product; 0 for nodes that have none, nothing when
// a shape is missing or the node's products are not counted (attention, and recurrent nodes of
// other formats than ONNX).
std::optional<std::uint64_t> CountMacs(ModelFormat format, const ModelNode& node,
                                       const std::vector<ModelTensor>& tensors);

}  // namespace cboard::model
