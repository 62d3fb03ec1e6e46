// Reads a part of an event file into a PartIndex.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cboard/base/file.h"
#include "reader/index/file_index.h"
#include "reader/index/file_window.h"
#include "reader/index/part_index.h"

namespace cboard::reader {

// A part of an event file. It is read in order, and continued when the file grows.
struct Part {
  Part() = default;
  explicit Part(std::shared_ptr<Arena> scalar_arena) : index(std::move(scalar_arena)) {}
  Part(std::uint64_t first, const std::vector<std::shared_ptr<const TagInfo>>& known,
       LogState state)
      : begin(first), end(first), index(known, state) {}

  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // The end of the bytes that were read.
  // The error of the file system, if reading stopped because of one.
  std::optional<Error> error;
  // The error for the first block that the disk cannot read: the block is damage, and reading went
  // on behind it.
  std::optional<Error> bad_block;
  PartIndex index;
  unsigned damage_count = 0;
  std::uint64_t searched_end = 0;  // See RecordReader::searched_end().
};

// Reads `part` from its current end until a record ends at or behind `stop`, or until no complete
// record is left. `file_bytes` is the size of the file when it was last checked. If the caller has
// read the file, `content` contains its bytes.
//
// A record is used if its two checksums are valid. Damage is skipped like in RecordReader, up to
// the next record with valid checksums. A record that extends behind the end of the file is skipped
// too, if a complete record is inside it.
void ReadPart(const File& file, Part& part, std::uint64_t stop, std::uint64_t file_bytes,
              const ReadOptions& options, ByteSpan content = {});

}  // namespace cboard::reader
