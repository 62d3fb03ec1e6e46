// Finds the use of an output (features, classes) from its name and the nodes before it.
#pragma once

#include <cstddef>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// The use of an output, as its name or its operator tells it.
enum class OutputHint { kNone, kFeatures, kAnswers };

// Names such as "logits" come first, then names such as "embedding", normalizations, and vectors
// that are divided by their length.
OutputHint HintOf(const model::ModelGraph& model, model::TensorId tensor);

// Whether an output is the last state of a recurrent node, over nodes that only move values.
bool IsState(const model::ModelGraph& model, model::TensorId tensor, std::size_t depth = 0);

// Whether the values of a tensor are sums of products, as a Conv or a MatMul with its bias gives
// them: logits or coordinates, even if these samples happen to give values between 0 and 1.
bool IsLinear(const model::ModelGraph& model, model::TensorId tensor, std::size_t depth = 0);

}  // namespace cboard::compare
