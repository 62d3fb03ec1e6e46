// CRC-32C of short byte ranges, inline, for encoders that compute a checksum per event.
//
// A call into ISA-L costs more than the checksum of a 40-byte event. On x86 with SSE4.2, the crc32
// instruction is therefore used directly; other machines call ComputeCrc32c.
#pragma once

#include <cstdint>
#include <cstring>

#include "cboard/base/bytes.h"
#include "cboard/record/crc32c.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#define CBOARD_SSE42 __attribute__((target("sse4.2")))
#else
#define CBOARD_SSE42
#endif

namespace cboard::record {

#if defined(__x86_64__)
inline bool HasShortCrc() {
  static const bool supported = __builtin_cpu_supports("sse4.2");
  return supported;
}

// Computes CRC-32C. Requires HasShortCrc(). `before` is the checksum of the preceding bytes.
CBOARD_SSE42 inline std::uint32_t ShortCrc32c(const std::byte* data, std::size_t size,
                                              std::uint32_t before = 0) {
  std::uint64_t crc = static_cast<std::uint32_t>(~before);
  if (size >= 8) {
    // If the size is not a multiple of eight, the extra bytes are processed first, as the end of a
    // word that starts with zeros: leading zeros do not change a checksum of 0. `before` is XORed
    // into the first four bytes. The code has no branch on the number of extra bytes, because the
    // processor would often predict it wrongly.
    std::uint64_t word;
    std::memcpy(&word, data, 8);
    const std::size_t odd_bits = 8 * (size % 8);
    crc = _mm_crc32_u64(0, (word ^ crc) << 1 << (63 - odd_bits)) ^ crc >> odd_bits;
    data += size % 8;
    for (const std::byte* const end = data + size / 8 * 8; data != end; data += 8) {
      std::memcpy(&word, data, 8);
      crc = _mm_crc32_u64(crc, word);
    }
    return ~static_cast<std::uint32_t>(crc);
  }
  auto crc32 = static_cast<std::uint32_t>(crc);
  for (; size > 0; --size, ++data) crc32 = _mm_crc32_u8(crc32, static_cast<std::uint8_t>(*data));
  return ~crc32;
}
#else
inline bool HasShortCrc() { return true; }
inline std::uint32_t ShortCrc32c(const std::byte* data, std::size_t size,
                                 std::uint32_t before = 0) {
  return ExtendCrc32c(before, {data, size});
}
#endif

}  // namespace cboard::record
