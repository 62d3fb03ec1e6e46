// Operators that have weights, as seven file formats call them, and how these weights lie; and
// those that only move values.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "cboard/model/model_graph.h"
#include "compare/layers/weight_layout.h"

namespace cboard::compare {

// Where an operator has its weights, or some of them.
struct OperatorWeights {
  std::string_view part;            // Which ones, where there are several: "W", "R". Static.
  std::size_t weight = 1;           // Which of its inputs.
  std::optional<std::size_t> bias;  // Likewise.
  // The bias is [directions, 2, channels], and this half of it belongs to these weights.
  std::optional<std::size_t> bias_half;
  bool is_table = false;  // Rows of it are chosen, not multiplied: embeddings.
  WeightLayout layout;
};

// Several for recurrent operators, those that meet the input first. None for operators without
// weights, and for those whose weights have fewer than two dimensions. Weights may turn out to be
// computed at run time.
std::vector<OperatorWeights> WeightsOf(const model::ModelGraph& model,
                                       const model::ModelNode& node);

// Whether outputs of this operator of ONNX are elements of its first input, so that codes pass
// through it as well as floats do.
bool PassesValues(std::string_view op_type);

}  // namespace cboard::compare
