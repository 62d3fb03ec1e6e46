// The checksums of TensorBoard's records.
#pragma once

#include <cstdint>

#include "cboard/base/bytes.h"

namespace cboard::record {

// Computes the CRC-32C (Castagnoli) of `bytes`: "123456789" gives 0xe3069283.
std::uint32_t ComputeCrc32c(ByteSpan bytes);

// Continues a CRC-32C: `crc` is the checksum of the bytes before `bytes`.
std::uint32_t ExtendCrc32c(std::uint32_t crc, ByteSpan bytes);

// The masked CRC-32C that protects a record's length and payload. It is a separate type, so that a
// raw checksum cannot be stored in place of a masked one.
enum class MaskedCrc : std::uint32_t {};

constexpr MaskedCrc Mask(std::uint32_t crc) {
  return MaskedCrc{((crc >> 15) | (crc << 17)) + 0xA282EAD8u};
}

constexpr std::uint32_t ToInteger(MaskedCrc crc) { return static_cast<std::uint32_t>(crc); }

inline MaskedCrc ComputeMaskedCrc(ByteSpan bytes) { return Mask(ComputeCrc32c(bytes)); }

}  // namespace cboard::record
