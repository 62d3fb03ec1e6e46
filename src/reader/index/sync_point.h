// Finds places in an event file where records begin.
#pragma once

#include <cstdint>
#include <optional>

#include "cboard/base/file.h"
#include "reader/index/file_window.h"

namespace cboard::reader {

// The first offset from `from` on at which two successive records have valid checksums. nullopt if
// there is none nearby, or before `end`. The result is a guess, because the content of a record may
// look like records: the reader checks that the previous part ends exactly there.
std::optional<std::uint64_t> FindSyncPoint(const File& file, std::uint64_t from, std::uint64_t end);

// The end of the record at `offset` in `window`, if both checksums are valid and the record ends at
// or before `end`.
std::optional<std::uint64_t> EndOfRecord(FileWindow& window, std::uint64_t offset,
                                         std::uint64_t end);

}  // namespace cboard::reader
