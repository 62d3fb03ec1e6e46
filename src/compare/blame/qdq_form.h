// Converts a model of operators on codes (QLinearConv, QLinearAdd, QGemm, …) to the QDQ form: the
// same operators on floats, with QuantizeLinear and DequantizeLinear between them. In this form
// each quantizer is a node, so that blame can switch them one by one.
#pragma once

#include <optional>
#include <string>

#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"

namespace cboard::compare {

// Returns true for operators that take and return codes together with their scales.
bool HasCodeOperators(const model::ModelGraph& model);

// The edits that convert a model; nullopt if an operator on codes has no known counterpart. Outputs
// of the two forms differ only by rounding inside of the operators, a step in places.
std::optional<runtime::GraphEdits> QdqFormOf(const model::ModelGraph& model);

}  // namespace cboard::compare
