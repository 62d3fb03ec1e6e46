// Finds the scales in an OpenVINO graph: weights that Convert, Subtract and Multiply dequantize,
// and FakeQuantize.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Sets the quantization parameters of tensors and the constants that they come from. Fails with
// kResourceExhausted.
Result<void> ResolveOpenVinoQuantization(GraphAssembler& graph);

}  // namespace cboard::model
