// What ONNX leaves to its readers: which scales belong to which codes, and shapes that were not
// stored. Both walk the sorted nodes once.
#pragma once

#include "model/graph_assembler.h"

namespace cboard {

// TensorProto.DataType's numbers.
ElementType ElementTypeOfOnnx(int elem_type);

// Fills type and shape of tensors that have none, as far as nodes and constants tell.
void InferOnnxShapes(GraphAssembler& graph);

// Fills quantization, source and rounded_by of tensors from QuantizeLinear and DequantizeLinear,
// from the operators on quantized tensors (QLinear…, …Integer, MatMulNBits), and through nodes that
// keep values. Scales that are computed at run time stay unknown. Shapes must be known. Fails with
// kResourceExhausted.
Result<void> ResolveOnnxQuantization(GraphAssembler& graph);

}  // namespace cboard
