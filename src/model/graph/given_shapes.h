// Applies the shapes that a user gives to inputs with dynamic sizes.
#pragma once

#include "cboard/model/input_shapes.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Sets the shapes of inputs, and of all tensors whose dimensions have the same names. Inputs
// and the declared shapes must be known. Fails with kInvalidArgument, naming the declared
// shape, if there is no such input, or if a size is negative, unrealistic, or contradicts the
// file.
Result<void> GiveInputShapes(const InputShapes& shapes, GraphAssembler& graph);

}  // namespace cboard::model
