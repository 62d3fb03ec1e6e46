// Reads a part of an event file into a PartIndex.
#pragma once

#include <cstdint>
#include <optional>

#include "cboard/base/file.h"
#include "reader/index/file_index.h"
#include "reader/index/file_window.h"
#include "reader/index/part_index.h"

namespace cboard::reader {

// A part of the file that is read in order, and continued when the file grows.
struct Part {
  Part() = default;
  Part(std::uint64_t first, const std::vector<std::shared_ptr<const TagInfo>>& known,
       LogState state)
      : begin(first), end(first), index(known, state) {}

  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // The end of the bytes that were read.
  // The reason why reading stopped before the end, if the file system returned an error.
  std::optional<Error> error;
  // The error for the first block that the disk cannot read: the block is damage, and reading went
  // on behind it.
  std::optional<Error> bad_block;
  PartIndex index;
  unsigned damage_count = 0;
  std::uint64_t searched_end = 0;  // See RecordReader::searched_end().
};

// Reads `part` on from its end, until a record ends at or behind `stop` or no whole record is left.
// `file_bytes` is the size of the file, as far as is known; `content` are its bytes, if the caller
// has read them.
//
// Records whose two checksums hold are used. Damage is skipped as RecordReader does it, up to the
// next record whose checksums hold; so is a record that reaches past the end of the file, if a
// whole record lies inside it.
void ReadPart(const File& file, Part& part, std::uint64_t stop, std::uint64_t file_bytes,
              const ReadOptions& options, ByteSpan content = {});

}  // namespace cboard::reader
