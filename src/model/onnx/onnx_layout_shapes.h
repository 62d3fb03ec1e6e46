// Shape rules of ONNX nodes that depend on axes, sizes or paddings, in addition to the shapes of
// the inputs. `input` is the shape of the first input.
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
// Infers the output shape of Resize or Upsample, for all opset versions.
Inferred InferResize(const NodeInputs& inputs, const Shape& input);
Inferred InferOneHot(const NodeInputs& inputs, const Shape& input);
// Infers the output shape of TopK. All its outputs have this shape.
Inferred InferTopK(const NodeInputs& inputs, const Shape& input);
Inferred InferRange(const NodeInputs& inputs);

}  // namespace cboard::model::onnx_shapes
