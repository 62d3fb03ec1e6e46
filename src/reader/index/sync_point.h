// Finds places in an event file where records begin.
#pragma once

#include <cstdint>
#include <optional>

#include "cboard/base/file.h"
#include "reader/index/file_window.h"

namespace cboard::reader {

// The first offset from `from` on with two successive records whose checksums hold. nullopt if
// there is none nearby, or before `end`. It is a guess: the contents of a record may look like
// records, so the reader checks that the part before ends exactly there.
std::optional<std::uint64_t> FindSyncPoint(const File& file, std::uint64_t from, std::uint64_t end);

// The end of the record at `offset` of the file in `window`, if both checksums hold and it ends at
// or before `end`.
std::optional<std::uint64_t> EndOfRecord(FileWindow& window, std::uint64_t offset,
                                         std::uint64_t end);

}  // namespace cboard::reader
