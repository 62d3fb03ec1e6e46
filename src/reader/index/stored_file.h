// The format of stored file indexes:
//
//   structure := "CBINDEX5"  crc(what follows):u32  crc(columns):u32  columns_bytes:u64
//                everything but points: counts, damage, restarts, tags, where their blocks are
//   columns   := the arrays of the blocks, used where they lie
//
// The structure is checked when an index is decoded, so that damage in it cannot cause wrong
// accesses. For the columns, only the bounds are checked then; their bytes are checked before the
// first use (stored_columns.h).
//
// FileIndex::Encode makes these bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "reader/index/file_index.h"
#include "reader/index/part_index.h"

namespace cboard::reader {

inline constexpr std::string_view kStoredMagic = "CBINDEX5";
inline constexpr std::size_t kStoredHeaderBytes = 24;
// The description of a block in the structure.
inline constexpr std::size_t kStoredBlockBytes = 3 * 8 + 8 + 4 + 3;

// An index that can be queried; reading more of the file turns it into a part first. It was stored,
// or it is in memory (FileIndex::Compact) and has no bytes.
struct StoredFile {
  std::shared_ptr<const FileView> view;  // Outlives the other members.
  LogState state;
  EncodedView encoded;
  StoredColumns* columns = nullptr;   // Part of the owner; nullptr in memory.
  std::shared_ptr<const void> owner;  // Owns the bytes and the block lists.
  std::uint64_t scalar_bytes = 0;     // Memory beside the bytes.
  std::uint64_t blob_index_bytes = 0;
};

// Decodes an index. Fails with kDataLoss. `owner` must keep `encoded` alive. For `tags`, see
// FileIndex::Decode().
Result<StoredFile> DecodeStored(const std::string& path, const EncodedView& encoded,
                                std::shared_ptr<const void> owner, TagInfoMemory& tags);

// Restores the columns of `encoded` from the event file at `path`, in the memory of their source.
// Points that the file no longer contains become NaN.
void RefillColumns(const std::string& path, const EncodedView& encoded);

}  // namespace cboard::reader
