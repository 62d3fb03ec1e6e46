// Reads a stretch of an event file into a PartIndex.
#pragma once

#include <cstdint>
#include <optional>

#include "cboard/base/file.h"
#include "reader/index/file_index.h"
#include "reader/index/file_window.h"
#include "reader/index/part_index.h"

namespace cboard::reader {

// A stretch of the file that is read from one end to the other, now and when the file has grown.
struct Part {
  Part() = default;
  Part(std::uint64_t first, const std::vector<std::shared_ptr<const TagInfo>>& known,
       LogState state)
      : begin(first), end(first), index(known, state) {}

  std::uint64_t begin = 0;
  std::uint64_t end = 0;       // So far.
  std::optional<Error> error;  // Why reading stopped before the end, if the file system refused.
  PartIndex index;
  unsigned damage_count = 0;
};

// Reads `part` on from its end, until a record ends at or behind `stop` or no whole record is left.
// `file_bytes` is the size of the file, as far as is known.
//
// Records whose two checksums hold are used. Damage is skipped as RecordReader does it, up to the
// next record whose checksums hold.
// With `lease` what is in memory is used where it lies.
void ReadPart(const File& file, FileLease* lease, Part& part, std::uint64_t stop,
              std::uint64_t file_bytes, const ReadOptions& options);

}  // namespace cboard::reader
