// CRC-32C of short runs of bytes, inline, for encoders that seal a record per event.
//
// A call into ISA-L costs more than the checksum of a 40-byte event, so on x86 with SSE4.2 the
// crc32 instruction is used directly; elsewhere these forward to ComputeCrc32c.
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

// Only where HasShortCrc(). `before` is the checksum of the bytes that come first.
CBOARD_SSE42 inline std::uint32_t ShortCrc32c(const std::byte* data, std::size_t size,
                                              std::uint32_t before = 0) {
  std::uint64_t crc = static_cast<std::uint32_t>(~before);
  if (size >= 8) {
    // The bytes that are too few for a word come first, as the end of a word that begins with
    // zeros: these leave a checksum of 0 as it is. The bytes before count as if they were XORed
    // into the first four. No branch depends on the number of these bytes, which nobody could
    // predict.
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
