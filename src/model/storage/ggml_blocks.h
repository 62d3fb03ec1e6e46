// Dequantizes the blocks of GGUF files. A block has 32 or 256 values and their scales.
// docs/formats/models.md describes the layouts.
#pragma once

#include <cstddef>
#include <span>

#include "cboard/base/bytes.h"
#include "cboard/base/dtype.h"

namespace cboard::model {

// Reads the elements [first, first + out.size()) of a tensor that consists of blocks. The elements
// must exist. The rounding is that of ggml's reference code. `type` must be a block type for which
// HoldsRealNumbers is true.
void ReadBlocks(DType type, ByteSpan data, std::size_t first, std::span<float> out);

}  // namespace cboard::model
