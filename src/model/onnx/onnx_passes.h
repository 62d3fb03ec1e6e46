// Passes for facts that ONNX files do not store: which scales belong to which codes, and missing
// shapes. Both visit the sorted nodes once.
#pragma once

#include <unordered_map>

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// The sources of an output of an If; kNoTensor if a branch has none.
struct IfBranches {
  TensorId then_output = kNoTensor;
  TensorId else_output = kNoTensor;
};

// Fills type and shape of tensors that have none, and sizes that the file leaves open, as far as
// inputs, nodes and constants tell.
void InferOnnxShapes(const std::unordered_map<TensorId, IfBranches>& branches,
                     GraphAssembler& graph);

// Fills quantization, source and rounded_by of tensors from QuantizeLinear and DequantizeLinear,
// from the operators on quantized tensors (QLinear…, …Integer, MatMulNBits and its like), and
// through nodes that keep values. Scales that are computed at run time stay unknown. Shapes must be
// known. Fails with kResourceExhausted.
Result<void> ResolveOnnxQuantization(GraphAssembler& graph);

}  // namespace cboard::model
