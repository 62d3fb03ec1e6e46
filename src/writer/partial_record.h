// The end of an event file after the disk has taken half a record.
#pragma once

#include <cstddef>

#include "cboard/base/bytes.h"

namespace cboard::writer {

// How many of the first `written_bytes` of `records`, which begin with a record, belong to a record
// of which not all has been written.
std::size_t PartialRecordBytes(ByteSpan records, std::size_t written_bytes);

// Takes the last `partial_bytes` out of the file again and moves the position of `descriptor` in
// front of them, so that the file ends with a whole record: nobody may get to write the rest.
// False, and nothing is changed, if the system refuses or if the file does not end at the position:
// a forked process has written behind it.
bool RemovePartialRecord(int descriptor, std::size_t partial_bytes);

}  // namespace cboard::writer
