// Shape rules of ONNX nodes that need numbers besides the shapes of the inputs: axes, sizes,
// paddings. `input` is the shape of the first input.
#pragma once

#include "model/onnx/onnx_shape_values.h"

namespace cboard::model::onnx_shapes {

Inferred InferReshape(const NodeInputs& inputs, const Shape& input);
Inferred InferSqueeze(const NodeInputs& inputs, const Shape& input);
Inferred InferUnsqueeze(const NodeInputs& inputs, const Shape& input);
Inferred InferExpand(const NodeInputs& inputs, const Shape& input);
Inferred InferTile(const NodeInputs& inputs, const Shape& input);
Inferred InferSlice(const NodeInputs& inputs, const Shape& input);
Inferred InferPad(const NodeInputs& inputs, const Shape& input);
Inferred InferReduce(const NodeInputs& inputs, const Shape& input);
// Resize and Upsample of any opset.
Inferred InferResize(const NodeInputs& inputs, const Shape& input);
Inferred InferOneHot(const NodeInputs& inputs, const Shape& input);
// All outputs have this shape.
Inferred InferTopK(const NodeInputs& inputs, const Shape& input);
Inferred InferRange(const NodeInputs& inputs);

}  // namespace cboard::model::onnx_shapes
