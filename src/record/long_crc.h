// The two implementations of CRC-32C for long byte ranges. ComputeCrc32c chooses between them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cboard/base/bytes.h"

namespace cboard::record {

// Computes CRC-32C with ISA-L, on any processor. `before` is the checksum of the preceding bytes.
std::uint32_t IsalCrc32c(ByteSpan bytes, std::uint32_t before = 0);

// Computes CRC-32C in steps of 256 bytes with prefetching. It is faster than ISA-L if the bytes are
// not in the processor's cache. Requires HasFoldedCrc() and at least kMinFoldedBytes.
inline constexpr std::size_t kMinFoldedBytes = 256;
std::uint32_t FoldedCrc32c(ByteSpan bytes, std::uint32_t before = 0);

// True if this processor has AVX-512 with carry-less multiplication.
bool HasFoldedCrc();

}  // namespace cboard::record
