// A model of operators on codes (QLinearConv, QLinearAdd, QGemm, …) in another form: the same
// operators on floats, with a QuantizeLinear and a DequantizeLinear between them. Blame switches
// quantizers one by one, and in this form each of them is a node.
#pragma once

#include <optional>
#include <string>

#include "cboard/model/model_graph.h"
#include "cboard/runtime/graph_edits.h"

namespace cboard::compare {

// True if an operator takes and gives codes together with their scales.
bool HasCodeOperators(const model::ModelGraph& model);

// The edits that give a model this form; nothing if an operator on codes has no known counterpart.
// The two forms differ by at most the rounding of the operators: a step here and there.
std::optional<runtime::GraphEdits> QdqFormOf(const model::ModelGraph& model);

}  // namespace cboard::compare
