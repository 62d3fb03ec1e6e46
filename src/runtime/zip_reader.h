// ZIP archives as NumPy writes them: files stored or deflated, with 64-bit sizes where needed.
#pragma once

#include <cstdint>
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

// The entries of the central directory. Fails with kDataLoss when it is damaged, kTruncated when
// the archive is truncated.
Result<std::vector<ZipEntry>> ListZip(ByteSpan file);

// A file of an archive, or its beginning: where it lies, or inflated.
struct ZipContent {
  ByteSpan in_place;
  std::string memory;
  bool is_inflated = false;

  ByteSpan bytes() const { return is_inflated ? AsBytes(memory) : in_place; }
};

// The first `wanted_bytes` of a file, or all of it when it is shorter; no more is inflated. Checks
// the checksum if that is all of it. Fails with kInvalidArgument for an encrypted file or another
// method than stored and deflated, with kDataLoss for damage, and with kResourceExhausted when
// inflating takes more than `max_bytes`.
Result<ZipContent> ReadZipEntry(ByteSpan file, const ZipEntry& entry, std::uint64_t wanted_bytes,
                                std::uint64_t max_bytes);

}  // namespace cboard::runtime
