// Finds the use of an output (features, classes) from its name and the nodes before it.
#pragma once

#include <cstddef>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// The use of an output, as far as its name or its operator shows it.
enum class OutputHint { kNone, kFeatures, kAnswers };

// Returns the use of an output. Tests in this order: names such as "logits", names such as
// "embedding", normalizations, and divisions of a vector by its L2 norm.
OutputHint HintOf(const model::ModelGraph& model, model::TensorId tensor);

// Returns true if an output is the last state of a recurrent node. Nodes that only move values may
// be in between.
bool IsState(const model::ModelGraph& model, model::TensorId tensor, std::size_t depth = 0);

// Returns true if the values of a tensor are sums of products, like the output of a Conv, or of a
// MatMul with its bias. Such values are logits or coordinates, even if all values of the samples
// are between 0 and 1.
bool IsLinear(const model::ModelGraph& model, model::TensorId tensor, std::size_t depth = 0);

}  // namespace cboard::compare
