// Where the weights of an operator are stored, behind nodes that only turn them around:
// DequantizeLinear -> Transpose -> MatMul, Const -> Transpose -> ExpandDims -> Conv2D; or put them
// in another order: Slice, Slice, Slice -> Concat -> Unsqueeze -> LSTM, whose gates PyTorch has in
// an order of its own.
#pragma once

#include <optional>

#include "cboard/model/model_graph.h"
#include "compare/layers/weight_layout.h"

namespace cboard::compare {

struct WeightOrigin {
  model::TensorId tensor = model::kNoTensor;
  WeightLayout layout;  // Layout of `tensor`.
};

// For an operator that takes `operand`, in this layout. Nothing when the values are computed
// otherwise, or lie so that rows of output channels cannot be read in the operator's own order.
std::optional<WeightOrigin> FindWeightOrigin(const model::ModelGraph& model,
                                             model::TensorId operand, const WeightLayout& layout);

}  // namespace cboard::compare
