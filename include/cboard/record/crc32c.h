// The checksums of TensorBoard's records.
#pragma once

#include <cstdint>

#include "cboard/base/bytes.h"

namespace cboard::record {

// CRC-32C (Castagnoli) of `bytes`: "123456789" gives 0xe3069283.
std::uint32_t ComputeCrc32c(ByteSpan bytes);

// The CRC-32C of some bytes followed by `bytes`, where `crc` is that of the first ones.
std::uint32_t ExtendCrc32c(std::uint32_t crc, ByteSpan bytes);

// The masked CRC-32C that guards a record's length and payload. A type of its own, so that a
// raw checksum cannot be stored where a masked one belongs.
enum class MaskedCrc : std::uint32_t {};

constexpr MaskedCrc Mask(std::uint32_t crc) {
  return MaskedCrc{((crc >> 15) | (crc << 17)) + 0xA282EAD8u};
}

constexpr std::uint32_t ToInteger(MaskedCrc crc) { return static_cast<std::uint32_t>(crc); }

inline MaskedCrc ComputeMaskedCrc(ByteSpan bytes) { return Mask(ComputeCrc32c(bytes)); }

}  // namespace cboard::record
