// Handles an event file whose last record was only partly written.
#pragma once

#include <cstddef>

#include "cboard/base/bytes.h"

namespace cboard::writer {

// Returns how many of the first `written_bytes` of `records` belong to an incomplete record.
// `records` must start with a record.
std::size_t PartialRecordBytes(ByteSpan records, std::size_t written_bytes);

// Removes the last `partial_bytes` of the file and moves the position of `descriptor` before them,
// so that the file ends with a complete record, because the rest may never be written. Returns
// false and changes nothing if the system refuses, or if the file does not end at the position
// because a forked process has written after it.
bool RemovePartialRecord(int descriptor, std::size_t partial_bytes);

}  // namespace cboard::writer
