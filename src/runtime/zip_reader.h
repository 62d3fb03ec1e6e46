// Reads ZIP archives that NumPy has written. Their files are stored or deflated, and may have
// 64-bit sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"

namespace cboard::runtime {

struct ZipEntry {
  std::string_view name;  // Points into the archive.
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t header_offset = 0;
};

bool LooksLikeZip(ByteSpan file);

// Lists the entries of the central directory. Fails with kDataLoss if it is damaged, and with
// kTruncated if the archive is truncated.
Result<std::vector<ZipEntry>> ListZip(ByteSpan file);

// The content of a file in an archive, or the start of it. It is a view into the archive, or
// decompressed bytes.
struct ZipContent {
  ByteSpan in_place;
  std::string memory;
  bool is_inflated = false;

  ByteSpan bytes() const { return is_inflated ? AsBytes(memory) : in_place; }
};

// Reads the first `wanted_bytes` bytes of a file, or the whole file if it is shorter. Decompresses
// no more bytes than requested. Verifies the checksum if the whole file was read; while it computes
// the checksum, it calls `after_part` after every 16 MiB. Fails with kInvalidArgument if the file
// is encrypted or uses a method other than stored and deflated, with kDataLoss if it is damaged,
// and with kResourceExhausted if decompression needs more than `max_bytes`.
Result<ZipContent> ReadZipEntry(ByteSpan file, const ZipEntry& entry, std::uint64_t wanted_bytes,
                                std::uint64_t max_bytes,
                                const std::function<void()>& after_part = {});

}  // namespace cboard::runtime
