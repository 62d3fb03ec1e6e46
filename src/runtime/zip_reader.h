// Reads ZIP archives as NumPy writes them: stored or deflated files, with 64-bit sizes if needed.
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

// The content of a file in an archive, or its start: a view into the archive, or decompressed
// bytes.
struct ZipContent {
  ByteSpan in_place;
  std::string memory;
  bool is_inflated = false;

  ByteSpan bytes() const { return is_inflated ? AsBytes(memory) : in_place; }
};

// Reads the first `wanted_bytes` of a file, or the whole file if it is shorter; decompresses no
// more than that. The checksum is verified if the whole file was read. Fails with kInvalidArgument
// for an encrypted file or a method other than stored and deflated, with kDataLoss for damage, and
// with kResourceExhausted if decompression needs more than `max_bytes`. While the checksum is
// computed, `after_part` is called after every 16 MiB.
Result<ZipContent> ReadZipEntry(ByteSpan file, const ZipEntry& entry, std::uint64_t wanted_bytes,
                                std::uint64_t max_bytes,
                                const std::function<void()>& after_part = {});

}  // namespace cboard::runtime
