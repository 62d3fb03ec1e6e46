// Reads ONNX's sparse constants: a list of values with their positions.
#pragma once

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/proto/onnx.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Makes `id` a constant of the values' type and the tensor's shape, expanded like SetUnfolded.
// `values` and `indices` are the stored elements. Fails with kDataLoss, naming the tensor, if they
// do not fit each other or the shape. Takes time proportional to the stored data and the size of
// the shape.
Result<void> SetSparseOnnxConstant(GraphAssembler& graph, TensorId id,
                                   const proto::OnnxSparseTensor& sparse, ByteSpan values,
                                   ByteSpan indices);

}  // namespace cboard::model
