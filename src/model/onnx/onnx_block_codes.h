// Reads weights in blocks of few bits, each with a scale, as ONNX Runtime's own operators
// (com.microsoft) use them: MatMulNBits, GatherBlockQuantized. The stored bytes are converted to
// the matrix that they represent. If attributes and tensors do not fit together, the weights are
// not changed and have no quantization.
#pragma once

#include "model/graph/graph_assembler.h"

namespace cboard::model {

struct BlockInputs {
  ModelTensor* codes = nullptr;
  const ModelTensor* scales = nullptr;       // Null if not constant.
  const ModelTensor* zero_points = nullptr;  // Null if there are none, or if they are not constant.
  bool has_zero_points = false;
  // The index of the block of each column; null if there is none, or if it is not constant.
  const ModelTensor* groups = nullptr;
  bool has_groups = false;
};

// Reads codes of N rows; the blocks of a row contain at least K codes, and the rest of the last
// block is padding. Fails with kResourceExhausted.
Result<void> ReadMatMulNBits(const ModelNode& node, const BlockInputs& inputs,
                             GraphAssembler& graph);

// Reads a table of 4-bit codes, or of bytes that contain codes of two, four or eight bits. Fails
// with kResourceExhausted.
Result<void> ReadGatherBlockQuantized(const ModelNode& node, const BlockInputs& inputs,
                                      GraphAssembler& graph);

}  // namespace cboard::model
