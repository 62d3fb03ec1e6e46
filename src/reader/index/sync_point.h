// Finds places in an event file where records begin.
#pragma once

#include <cstdint>
#include <optional>

#include "cboard/base/file.h"
#include "reader/index/file_window.h"

namespace cboard::reader {

// Finds the first offset at or behind `from` at which two successive records have valid checksums.
// Returns nullopt if there is none nearby, or none before `end`. The result is a guess, because the
// content of a record may look like records. The reader therefore checks that the previous part
// ends exactly at this offset.
std::optional<std::uint64_t> FindSyncPoint(const File& file, std::uint64_t from, std::uint64_t end);

// Returns the end of the record at `offset`. Returns nullopt if one of its checksums is not valid,
// or if it ends behind `end`.
std::optional<std::uint64_t> EndOfRecord(FileWindow& window, std::uint64_t offset,
                                         std::uint64_t end);

}  // namespace cboard::reader
