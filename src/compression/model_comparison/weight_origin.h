// Where the weights of an operator are stored, behind nodes that only turn them around:
// DequantizeLinear -> Transpose -> MatMul, Const -> Transpose -> ExpandDims -> Conv2D.
#pragma once

#include <cstddef>
#include <optional>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

struct WeightOrigin {
  TensorId tensor = kNoTensor;
  // Dimensions of `tensor`; see OperatorWeights.
  std::size_t channel_axis = 0;
  std::optional<std::size_t> input_axis;
};

// For an operator that takes `operand`, with these dimensions. Nothing when the values are computed
// otherwise, or lie so that rows of output channels cannot be read in the operator's own order.
std::optional<WeightOrigin> FindWeightOrigin(const ModelGraph& model, TensorId operand,
                                             std::size_t channel_axis,
                                             std::optional<std::size_t> input_axis);

}  // namespace cboard::compare
