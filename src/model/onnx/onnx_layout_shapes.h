// Shape rules of ONNX nodes that depend on axes, sizes or paddings besides the input shapes.
// `input` is the shape of the first input.
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
// Infers the output shape of Resize and Upsample, for any opset.
Inferred InferResize(const NodeInputs& inputs, const Shape& input);
Inferred InferOneHot(const NodeInputs& inputs, const Shape& input);
// Infers TopK; all its outputs have the returned shape.
Inferred InferTopK(const NodeInputs& inputs, const Shape& input);
Inferred InferRange(const NodeInputs& inputs);

}  // namespace cboard::model::onnx_shapes
