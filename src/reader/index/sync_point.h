// Finds a place in the middle of an event file from which it can be read.
#pragma once

#include <cstdint>
#include <optional>

#include "cboard/base/file.h"

namespace cboard::reader {

// The first offset from `from` on where a record and the one behind it hold, checksums and all.
// Nothing if there is none nearby, or before `end`.
//
// It is a guess all the same: what looks like records may be the contents of one, so the reader
// checks that what comes before ends exactly there.
std::optional<std::uint64_t> FindSyncPoint(const File& file, std::uint64_t from, std::uint64_t end);

}  // namespace cboard::reader
