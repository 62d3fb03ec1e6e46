// Converts a model of operators on codes (QLinearConv, QLinearAdd, QGemm, …) to the QDQ form: the
// same operators on floats, with QuantizeLinear and DequantizeLinear between them. In this form
// each quantizer is a node, so the search for root causes can bypass each of them separately.
// "Codes" are quantized integers.
#pragma once

#include <optional>
#include <string>

#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"

namespace cboard::compare {

// Returns true if the model has operators that take and return integer codes together with their
// scales (QLinearConv, …).
bool HasCodeOperators(const model::ModelGraph& model);

// Returns the graph edits that convert a model; nullopt if an operator on codes has no known float
// operator. Outputs of the two forms may differ by one quantization step, because operators on
// codes round internally.
std::optional<runtime::GraphEdits> QdqFormOf(const model::ModelGraph& model);

}  // namespace cboard::compare
