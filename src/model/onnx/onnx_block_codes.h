// Weights that ONNX Runtime's own operators (com.microsoft) take in blocks of few bits, each block
// with a scale: MatMulNBits, GatherBlockQuantized. Their stored bytes become the matrix that they
// represent. Codes whose attributes and tensors do not fit together are left as they are, without
// quantization.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

struct BlockInputs {
  ModelTensor* codes = nullptr;
  const ModelTensor* scales = nullptr;       // Null: not constant.
  const ModelTensor* zero_points = nullptr;  // Null: none, or not constant.
  bool has_zero_points = false;
  const ModelTensor* groups = nullptr;  // Which block each column is of; null as zero points.
  bool has_groups = false;
};

// Codes of N rows, each of blocks that together hold K or more: the rest of the last is padding.
// Fails with kResourceExhausted.
Result<void> ReadMatMulNBits(const ModelNode& node, const BlockInputs& inputs,
                             GraphAssembler& graph);

// A table of four bits, or of bytes that hold two, four or eight. Fails with kResourceExhausted.
Result<void> ReadGatherBlockQuantized(const ModelNode& node, const BlockInputs& inputs,
                                      GraphAssembler& graph);

}  // namespace cboard::model
