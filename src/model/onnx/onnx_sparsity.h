// ONNX's sparse constants: a list of values with their positions.
#pragma once

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/proto/onnx.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Makes `id` a constant of the values' type and the tensor's shape, unfolded as SetUnfolded says.
// `values` and `indices` are the elements of the two. Fails with kDataLoss when they do not fit
// each other or the shape, and then names the tensor. Takes time in proportion to what is stored
// and to the size of the shape.
Result<void> SetSparseOnnxConstant(GraphAssembler& graph, TensorId id,
                                   const proto::OnnxSparseTensor& sparse, ByteSpan values,
                                   ByteSpan indices);

}  // namespace cboard::model
