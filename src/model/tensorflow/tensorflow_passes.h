// Passes that compute facts that a TensorFlow graph does not store. Both visit the sorted nodes
// once.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Infers missing shapes, as far as convolutions, matrix products and the usual nodes between them
// need.
void InferTensorFlowShapes(GraphAssembler& graph);

// Sets quantization, source and rounded_by from FakeQuant nodes, from Dequantize and the Quantized…
// kernels with constant ranges, and through nodes that do not change values, such as reading a
// variable. Fails with kResourceExhausted.
Result<void> ResolveTensorFlowQuantization(GraphAssembler& graph);

}  // namespace cboard::model
