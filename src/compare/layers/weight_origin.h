// Finds the stored weights of an operator behind nodes that only rearrange them: DequantizeLinear
// -> Transpose -> MatMul, Const -> Transpose -> ExpandDims -> Conv2D; or that reorder gates, as
// PyTorch's exporter does: Slice, Slice, Slice -> Concat -> Unsqueeze -> LSTM.
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
