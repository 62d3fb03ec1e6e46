#include "cboard/record/crc32c.h"

#include <isa-l/crc.h>

#include <climits>

#include "record/long_crc.h"
#include "record/short_crc.h"

namespace cboard::record {

std::uint32_t IsalCrc32c(ByteSpan bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  while (!bytes.empty()) {
    // Splits the bytes into parts of at most 1 GiB, because ISA-L takes the length as int.
    const ByteSpan part = bytes.first(std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    // ISA-L's function only reads the bytes, although its parameter is not const.
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(part.data()));
    crc = crc32_iscsi(data, static_cast<int>(part.size()), crc);
    bytes = bytes.subspan(part.size());
  }
  return ~crc;
}

std::uint32_t ComputeCrc32c(ByteSpan bytes) { return ExtendCrc32c(0, bytes); }

std::uint32_t ExtendCrc32c(std::uint32_t crc, ByteSpan bytes) {
#if defined(__x86_64__)
  // Minimum size for which folding is faster than a loop with the crc32 instruction.
  constexpr std::size_t kShortBytes = 256;
  if (bytes.size() < kShortBytes && HasShortCrc()) {
    return ShortCrc32c(bytes.data(), bytes.size(), crc);
  }
#endif
  if (bytes.size() >= kMinFoldedBytes && HasFoldedCrc()) return FoldedCrc32c(bytes, crc);
  return IsalCrc32c(bytes, crc);
}

}  // namespace cboard::record
