// Reads ONNX's sparse constants, which are a list of values and a list of their positions.
#pragma once

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/proto/onnx.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Makes `id` a constant with the type of the values and the shape of the sparse tensor, expanded as
// in SetUnfolded. `values` and `indices` are the stored elements. Fails with kDataLoss if values,
// indices and shape contradict each other; the error names the tensor. Takes time proportional to
// the stored data and to the size of the shape.
Result<void> SetSparseOnnxConstant(GraphAssembler& graph, TensorId id,
                                   const proto::OnnxSparseTensor& sparse, ByteSpan values,
                                   ByteSpan indices);

}  // namespace cboard::model
