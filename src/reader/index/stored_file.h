// File indexes as bytes:
//
//   "CBINDEX2"  structure_bytes:u64  columns_bytes:u64  crc(structure):u32  crc(columns):u32
//   structure   everything but points: counts, damage, restarts, tags, and where their blocks are
//   columns     the arrays of the blocks, used where they lie
//
// The structure is checked when an index is decoded, so that nothing in it can lead astray; the
// columns are only bounded then, and checked by HasRightColumns: a damaged one gives wrong numbers,
// not wrong addresses.
//
// FileIndex::AppendEncoded makes these bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "reader/index/file_index.h"
#include "reader/index/part_index.h"

namespace cboard::reader {

inline constexpr std::string_view kStoredMagic = "CBINDEX2";
inline constexpr std::size_t kStoredHeaderBytes = 32;
inline constexpr std::size_t kStoredBlockBytes = 3 * 8 + 8 + 4 + 3;  // A block in the structure.

// An index that was stored. It can be looked at; reading on makes a part of it first.
struct StoredFile {
  std::shared_ptr<const FileView> view;  // Outlives the rest.
  LogState state;
  ByteSpan bytes;  // All of them.
  ByteSpan columns;
  std::uint32_t columns_crc = 0;
  std::shared_ptr<const void> owner;  // Of the bytes and of the lists of blocks.
  std::uint64_t scalar_bytes = 0;     // Memory beside the bytes.
  std::uint64_t blob_index_bytes = 0;
};

// Fails with kDataLoss. `bytes` lives as long as `owner`.
Result<StoredFile> DecodeStored(const std::filesystem::path& path, ByteSpan bytes,
                                std::shared_ptr<const void> owner);

bool HasRightColumns(ByteSpan columns, std::uint32_t crc);

}  // namespace cboard::reader
