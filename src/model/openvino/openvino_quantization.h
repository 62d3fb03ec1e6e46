// Scales in an OpenVINO graph: weights that Convert, Subtract and Multiply turn into floats, and
// FakeQuantize.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Fills quantization, source and rounded_by of tensors. Fails with kResourceExhausted.
Result<void> ResolveOpenVinoQuantization(GraphAssembler& graph);

}  // namespace cboard::model
