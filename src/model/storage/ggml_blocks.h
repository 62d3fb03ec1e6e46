// Dequantizes the blocks of GGUF files: 32 or 256 values with their scales. docs/formats/models.md
// describes the layouts.
#pragma once

#include <cstddef>
#include <span>

#include "cboard/base/bytes.h"
#include "cboard/base/dtype.h"

namespace cboard::model {

// Reads elements [first, first + out.size()) of a tensor of blocks, which must exist, with the same
// rounding as ggml's reference code. `type` must be a block type for which HoldsRealNumbers is
// true.
void ReadBlocks(DType type, ByteSpan data, std::size_t first, std::span<float> out);

}  // namespace cboard::model
