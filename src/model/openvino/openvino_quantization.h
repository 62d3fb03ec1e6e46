// Finds the scales in an OpenVINO graph: those of weights that Convert, Subtract and Multiply
// dequantize, and those of FakeQuantize.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Sets the quantization parameters of tensors, and the constants from which their values come.
// Fails with kResourceExhausted.
Result<void> ResolveOpenVinoQuantization(GraphAssembler& graph);

}  // namespace cboard::model
