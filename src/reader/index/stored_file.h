// The format of stored file indexes:
//
//   structure := "CBINDEX5"  crc(the rest of the structure):u32  crc(columns):u32
//                columns_bytes:u64
//                counts, damage, restarts, tags, positions of the blocks of each tag
//   columns   := the arrays of the blocks, which are used without copying them
//
// The structure is checked when an index is decoded, so that damage in it cannot cause invalid
// memory accesses. At that time only the bounds of the columns are checked. The bytes of the
// columns are checked before their first use (stored_columns.h).
//
// FileIndex::Encode writes this format.
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
// Size of the description of a block in the structure.
inline constexpr std::size_t kStoredBlockBytes = 3 * 8 + 8 + 4 + 3;

// An index from which views can be made. It was stored on the disk, or it is only in memory
// (FileIndex::Compact) and has no bytes. Before more of the file is read, it is converted to a
// part.
struct StoredFile {
  std::shared_ptr<const FileView> view;  // Outlives the other members.
  LogState state;
  EncodedView encoded;
  StoredColumns* columns = nullptr;   // Part of the owner; nullptr in memory.
  std::shared_ptr<const void> owner;  // Owns the bytes and the block lists.
  std::uint64_t scalar_bytes = 0;     // Memory beside the bytes.
  std::uint64_t blob_index_bytes = 0;
};

// Decodes an index. Fails with kDataLoss if it is damaged. `owner` must keep the bytes of `encoded`
// alive. FileIndex::Decode() describes `tags`.
Result<StoredFile> DecodeStored(const std::string& path, const EncodedView& encoded,
                                std::shared_ptr<const void> owner, TagInfoMemory& tags);

// Restores the damaged columns of `encoded` from the event file at `path`. Writes them to the
// memory of the columns' source. Points that the file no longer contains become NaN.
void RefillColumns(const std::string& path, const EncodedView& encoded);

}  // namespace cboard::reader
