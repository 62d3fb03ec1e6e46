// Operators with weights in seven file formats, the layout of these weights, and operators that
// only move values.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "cboard/model/model_graph.h"
#include "compare/layers/weight_layout.h"

namespace cboard::compare {

// Position of an operator's weights among its inputs.
struct OperatorWeights {
  std::string_view part;            // Which ones, where there are several: "W", "R". Static.
  std::size_t weight = 1;           // Which of its inputs.
  std::optional<std::size_t> bias;  // Likewise.
  // The bias is [directions, 2, channels], and this half of it belongs to these weights.
  std::optional<std::size_t> bias_half;
  bool is_table = false;  // Rows of it are chosen, not multiplied: embeddings.
  WeightLayout layout;
};

// The weights of an operator; recurrent operators have several, those for the input first. Empty
// for operators without weights of at least two dimensions. Weights may be computed at run time.
std::vector<OperatorWeights> WeightsOf(const model::ModelGraph& model,
                                       const model::ModelNode& node);

// Returns true for ONNX operators whose outputs are elements of their first input, so that codes
// can pass through them.
bool PassesValues(std::string_view op_type);

}  // namespace cboard::compare
