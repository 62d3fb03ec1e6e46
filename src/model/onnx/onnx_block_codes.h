// Reads weights that are stored in blocks of codes of a few bits. Each block has a scale. ONNX
// Runtime's own operators (com.microsoft) use them: MatMulNBits, GatherBlockQuantized. The reader
// changes the type and shape of the stored tensor to those of the matrix that it represents. If
// attributes and tensors contradict each other, the weights are not changed and have no
// quantization.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

struct BlockInputs {
  ModelTensor* codes = nullptr;
  const ModelTensor* scales = nullptr;       // Null if not constant.
  const ModelTensor* zero_points = nullptr;  // Null if there are none, or if they are not constant.
  bool has_zero_points = false;
  // The index of the block of each column. Null if there are no such indices, or if they are not
  // constant.
  const ModelTensor* groups = nullptr;
  bool has_groups = false;
};

// Reads N rows of codes. The blocks of a row contain at least K codes; the rest of the last block
// is padding. Fails with kResourceExhausted.
Result<void> ReadMatMulNBits(const ModelNode& node, const BlockInputs& inputs,
                             GraphAssembler& graph);

// Reads a table of 4-bit codes, or a table of bytes that contain codes of two, four or eight bits.
// Fails with kResourceExhausted.
Result<void> ReadGatherBlockQuantized(const ModelNode& node, const BlockInputs& inputs,
                                      GraphAssembler& graph);

}  // namespace cboard::model
