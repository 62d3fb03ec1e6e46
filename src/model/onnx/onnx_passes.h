// Passes over a graph that compute facts that ONNX files do not store: the scales of codes, and
// missing shapes. Each pass visits the sorted nodes once.
#pragma once

#include <unordered_map>

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// The tensors that the two branches of an If return for one output. kNoTensor if a branch has none.
struct IfBranches {
  TensorId then_output = kNoTensor;
  TensorId else_output = kNoTensor;
};

// Infers missing types, shapes and sizes of tensors from the inputs, nodes and constants of the
// graph.
void InferOnnxShapes(const std::unordered_map<TensorId, IfBranches>& branches,
                     GraphAssembler& graph);

// Sets `quantization`, `source` and `rounded_by` of all tensors. Uses QuantizeLinear and
// DequantizeLinear, operators on quantized tensors (QLinear…, …Integer, MatMulNBits and similar),
// and nodes that do not change values. Scales that are computed at run time stay unknown. Call it
// when shapes are known. Fails with kResourceExhausted.
Result<void> ResolveOnnxQuantization(GraphAssembler& graph);

}  // namespace cboard::model
