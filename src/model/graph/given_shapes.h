// Applies the shapes that a user gives to inputs with dynamic sizes.
#pragma once

#include "cboard/model/input_shapes.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Sets the shapes of inputs, and of all tensors whose dimensions have the same names. Call it when
// the inputs and their declared shapes are known. Fails with kInvalidArgument if there is no such
// input, or if a size is negative, unrealistic, or contradicts the file. The error names the
// declared shape.
Result<void> GiveInputShapes(const InputShapes& shapes, GraphAssembler& graph);

}  // namespace cboard::model
