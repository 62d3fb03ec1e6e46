// Operators that have weights, as seven file formats call them, and how these weights lie; and
// those that only move values.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

// Where an operator has its weights.
struct OperatorWeights {
  std::size_t weight = 1;           // Which of its inputs.
  std::optional<std::size_t> bias;  // Likewise.
  std::size_t channel_axis = 0;     // Of the weight's dimensions, the one of output channels.
  // Convolutions whose weights have input channels behind height and width: the dimension of these.
  std::optional<std::size_t> input_axis;
};

// Nothing for operators without weights, and for those whose weights have fewer than two
// dimensions. The weight may turn out to be computed at run time.
std::optional<OperatorWeights> WeightsOf(const ModelGraph& model, const ModelNode& node);

// Whether outputs of this operator of ONNX are elements of its first input, so that codes pass
// through it as well as floats do.
bool PassesValues(std::string_view op_type);

}  // namespace cboard::compare
