// Passes for facts that a TensorFlow graph does not store. Both visit the sorted nodes once.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Fills shapes of tensors that have none, as far as convolutions, products and what is usually
// between them need.
void InferTensorFlowShapes(GraphAssembler& graph);

// Fills quantization, source and rounded_by from FakeQuant nodes, from Dequantize and the
// Quantized… kernels with constant ranges, and through nodes that keep values, such as the reading
// of variables. Fails with kResourceExhausted.
Result<void> ResolveTensorFlowQuantization(GraphAssembler& graph);

}  // namespace cboard::model
