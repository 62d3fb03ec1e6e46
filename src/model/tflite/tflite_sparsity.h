// Reads TFLite's sparse constants: weights of pruned networks, stored without most of their zeros.
//
// A sparse tensor is stored as a tree. Each level represents a dimension, in the order of
// `traversal_order`, and the leaves are the stored values. A node of a dense level has a child for
// each index. A node of a sparse level (CSR) lists its children: those of the node at position p
// are at positions segments[p] to segments[p + 1] of `indices`, which contains their indices.
//
//   0 0 7 0      level 0, dense: 2 rows
//   5 0 0 6      level 1, sparse: segments 0 1 3, indices 2 0 3; values 7 5 6
//
// Dimensions that are stored in blocks have one more level each, after the levels of all
// dimensions, for the index inside a block.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "model/graph/graph_assembler.h"
#include "model/tflite/flat_buffer.h"

namespace cboard::model {

// Makes `id` a constant of this type and shape; CanBeSparse must be true for the type. The elements
// are expanded in memory of the graph, so that weight readers do not depend on the storage; only
// `sparse_bytes` shows it. `sparsity` is a table of SparsityParameters, and `values` are the bytes
// of the tensor's buffer.
//
// Fails with kDataLoss if a position is outside the shape or a value is missing; with
// kResourceExhausted, before allocation, if the expanded size is unrealistic for a file of this
// size. Takes time proportional to the stored data and the size of the shape.
Result<void> SetSparseConstant(GraphAssembler& graph, TensorId id, DType type,
                               const std::vector<std::int64_t>& shape, const FlatTable& sparsity,
                               ByteSpan values);

}  // namespace cboard::model
