// The quantized blocks of GGUF files: 32 or 256 values that share scales stored among them.
// docs/formats/models.md has their layouts.
#pragma once

#include <cstddef>
#include <span>

#include "cboard/base/bytes.h"
#include "cboard/base/dtype.h"

namespace cboard::model {

// Writes elements [first, first + out.size()) of a tensor of blocks, which must be there, with the
// same roundings as ggml's reference code. `type` is a block type that HoldsRealNumbers.
void ReadBlocks(DType type, ByteSpan data, std::size_t first, std::span<float> out);

}  // namespace cboard::model
