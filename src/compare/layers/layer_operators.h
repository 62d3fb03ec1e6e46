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

// The weights of an operator, and the positions of weights and bias among its inputs.
struct OperatorWeights {
  std::string_view part;            // "W" or "R" if there are several weights. Static.
  std::size_t weight = 1;           // Input with the weights.
  std::optional<std::size_t> bias;  // Input with the bias.
  // The half of the bias that belongs to these weights, for a bias of shape [directions, 2,
  // channels].
  std::optional<std::size_t> bias_half;
  bool is_table = false;  // A lookup table (embeddings): rows are selected, not multiplied.
  WeightLayout layout;
};

// Returns the weights of a node: inputs with at least two dimensions. Some of them may be computed
// at run time. Recurrent operators have several weights; the weights for the input come first.
// Empty for operators without weights.
std::vector<OperatorWeights> WeightsOf(const model::ModelGraph& model,
                                       const model::ModelNode& node);

// Returns true for ONNX operators that only move elements of their first input to the output, so
// they can also work on integer codes.
bool PassesValues(std::string_view op_type);

}  // namespace cboard::compare
