// Finds the stored weights of an operator behind nodes that only rearrange them: DequantizeLinear
// -> Transpose -> MatMul, Const -> Transpose -> ExpandDims -> Conv2D; or that reorder gates, for
// example Slice, Slice, Slice -> Concat -> Unsqueeze -> LSTM by PyTorch's exporter.
#pragma once

#include <optional>

#include "cboard/model/model_graph.h"
#include "compare/layers/weight_layout.h"

namespace cboard::compare {

struct WeightOrigin {
  model::TensorId tensor = model::kNoTensor;
  WeightLayout layout;  // Layout of `tensor`.
};

// Returns the stored tensor from which `operand`, an input of an operator with this weight layout,
// is computed. Returns nullopt if nodes change its values, or if its rows cannot be read in the
// operator's order.
std::optional<WeightOrigin> FindWeightOrigin(const model::ModelGraph& model,
                                             model::TensorId operand, const WeightLayout& layout);

}  // namespace cboard::compare
