// Handles an event file whose last record was only partly written.
#pragma once

#include <cstddef>

#include "cboard/base/bytes.h"

namespace cboard::writer {

// Returns how many of the first `written_bytes` bytes of `records` belong to an incomplete record.
// The first byte of `records` is the start of a record.
std::size_t PartialRecordBytes(ByteSpan records, std::size_t written_bytes);

// Removes the last `partial_bytes` bytes of the file and moves the position of `descriptor` before
// them. The file then ends with a complete record, even if the rest of the partial record is never
// written. Returns false and changes nothing if the system refuses, or if the file does not end at
// the position because a forked process has written more.
bool RemovePartialRecord(int descriptor, std::size_t partial_bytes);

}  // namespace cboard::writer
