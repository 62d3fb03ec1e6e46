// Passes over a graph that compute facts that TensorFlow files do not store. Each pass visits the
// sorted nodes once.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Infers missing shapes, if convolutions, matrix products and the usual nodes between them need
// them.
void InferTensorFlowShapes(GraphAssembler& graph);

// Sets `quantization`, `source` and `rounded_by` of tensors. Uses FakeQuant nodes, Dequantize and
// the Quantized… kernels with constant ranges, and nodes that do not change values, such as reading
// a variable. Fails with kResourceExhausted.
Result<void> ResolveTensorFlowQuantization(GraphAssembler& graph);

}  // namespace cboard::model
