// Passes that compute facts that ONNX files do not store: the scales of codes, and missing shapes.
// Both visit the sorted nodes once.
#pragma once

#include <unordered_map>

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// The tensors that both branches of an If return for one output; kNoTensor if a branch has none.
struct IfBranches {
  TensorId then_output = kNoTensor;
  TensorId else_output = kNoTensor;
};

// Infers missing types, shapes and sizes of tensors from inputs, nodes and
// constants.
void InferOnnxShapes(const std::unordered_map<TensorId, IfBranches>& branches,
                     GraphAssembler& graph);

// Sets quantization, source and rounded_by of tensors, from QuantizeLinear and DequantizeLinear,
// from operators on quantized tensors (QLinear…, …Integer, MatMulNBits and similar), and through
// nodes that do not change values. Scales that are computed at run time stay unknown. Shapes must
// be known. Fails with kResourceExhausted.
Result<void> ResolveOnnxQuantization(GraphAssembler& graph);

}  // namespace cboard::model
