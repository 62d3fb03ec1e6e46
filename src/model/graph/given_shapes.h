// Puts the shapes that a user gives where a model's file leaves them open.
#pragma once

#include "cboard/model/input_shapes.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Gives inputs these shapes, and every tensor the sizes that follow from them by name. Inputs must
// be known, and what the file says about shapes. Fails with kInvalidArgument, and says what the
// file declares, when there is no such input, or a size is negative, absurd, or another one than
// the file has.
Result<void> GiveInputShapes(const InputShapes& shapes, GraphAssembler& graph);

}  // namespace cboard::model
