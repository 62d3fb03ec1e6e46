// TFLite's sparse constants: the weights of pruned networks, stored without most of their zeros.
//
// Such a tensor is a tree. Each level stands for a dimension, in the order of `traversal_order`,
// and leaves are stored values. Nodes of a dense level have a child for each index. Those of a
// sparse one (CSR) list them: the children of the node at position p are at positions segments[p]
// to segments[p + 1] of `indices`, which says where they belong.
//
//   0 0 7 0      level 0, dense: 2 rows
//   5 0 0 6      level 1, sparse: segments 0 1 3, indices 2 0 3; values 7 5 6
//
// Dimensions that are stored in blocks have one more level each, behind those of all dimensions:
// that of the index inside of a block.
#pragma once

#include <cstdint>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "model/graph/graph_assembler.h"
#include "model/tflite/flat_buffer.h"

namespace cboard::model {

// Makes `id` a constant of this type, which CanBeSparse, and shape. Its elements are unfolded into
// memory of the graph, so that readers of weights are independent of the storage; only
// `sparse_bytes` tells. `sparsity` is a table of SparsityParameters, and `values` are the bytes of
// the tensor's buffer.
//
// Fails with kDataLoss when a place that is named is not in the shape, or a value is missing; with
// kResourceExhausted, before memory is taken, when there are more zeros than a file of this size
// has reason to leave out. Takes time in proportion to what is stored and to the size of the shape.
Result<void> SetSparseConstant(GraphAssembler& graph, TensorId id, DType type,
                               const std::vector<std::int64_t>& shape, const FlatTable& sparsity,
                               ByteSpan values);

}  // namespace cboard::model
