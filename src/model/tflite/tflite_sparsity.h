// Reads TFLite's sparse constants: weights of pruned networks, stored without most of their zeros.
//
// A sparse tensor is stored as a tree. Each level of the tree represents a dimension, in the order
// of `traversal_order`. The leaves are the stored values. In a dense level, a node has a child for
// each index. In a sparse level (CSR), the children of the node at position p are listed in
// `indices`, from segments[p] to before segments[p + 1]; the list contains the index of each child.
//
//   0 0 7 0      level 0, dense: 2 rows
//   5 0 0 6      level 1, sparse: segments 0 1 3, indices 2 0 3; values 7 5 6
//
// A dimension that is stored in blocks has a second level for the index inside a block. These
// levels come after the levels of all dimensions.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "model/graph/graph_assembler.h"
#include "model/tflite/flat_buffer.h"

namespace cboard::model {

// Makes `id` a constant of this type and shape. CanBeSparse must be true for the type. The elements
// are expanded in memory of the graph, so that code that reads weights need not know sparse
// tensors; only `sparse_bytes` shows that the constant is sparse. `sparsity` is a table of
// SparsityParameters, and `values` are the bytes of the tensor's buffer.
//
// Fails with kDataLoss if a position is outside the shape or a value is missing; with
// kResourceExhausted, before allocation, if the expanded size is unrealistic for a file of this
// size. Takes time proportional to the stored data and the size of the shape.
Result<void> SetSparseConstant(GraphAssembler& graph, TensorId id, DType type,
                               const std::vector<std::int64_t>& shape, const FlatTable& sparsity,
                               ByteSpan values);

}  // namespace cboard::model
