// CRC-32C of long runs of bytes, in the two ways among which ComputeCrc32c chooses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cboard/base/bytes.h"

namespace cboard::record {

// By ISA-L, on any processor. `before` is the checksum of the bytes that come first.
std::uint32_t IsalCrc32c(ByteSpan bytes, std::uint32_t before = 0);

// 256 bytes at a time, which are asked for before they are needed: quicker than ISA-L where bytes
// come from memory rather than from the cache. Only where HasFoldedCrc(), and of kMinFoldedBytes at
// least.
inline constexpr std::size_t kMinFoldedBytes = 256;
std::uint32_t FoldedCrc32c(ByteSpan bytes, std::uint32_t before = 0);

// Whether this processor has AVX-512 with carry-less multiplication.
bool HasFoldedCrc();

}  // namespace cboard::record
