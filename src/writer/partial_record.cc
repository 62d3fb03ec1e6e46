#include "writer/partial_record.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "cboard/record/record_writer.h"

namespace cboard::writer {

std::size_t PartialRecordBytes(ByteSpan records, std::size_t written_bytes) {
  std::size_t end = 0;  // End of the last complete record.
  while (written_bytes - end >= record::kRecordOverheadBytes) {
    const auto length = LoadLittleEndian<std::uint64_t>(records.subspan(end));
    if (length > written_bytes - end - record::kRecordOverheadBytes) break;
    end += static_cast<std::size_t>(length) + record::kRecordOverheadBytes;
  }
  return written_bytes - end;
}

bool RemovePartialRecord(int descriptor, std::size_t partial_bytes) {
  if (partial_bytes == 0) return true;
  const off_t position = ::lseek(descriptor, 0, SEEK_CUR);
  struct stat status;
  if (position < static_cast<off_t>(partial_bytes) || ::fstat(descriptor, &status) != 0 ||
      status.st_size != position) {
    return false;
  }
  const off_t end = position - static_cast<off_t>(partial_bytes);
  // Truncates the file before moving the position: if a forked process writes between the two
  // calls, the file gets a gap, but no event is lost.
  return ::ftruncate(descriptor, end) == 0 && ::lseek(descriptor, end, SEEK_SET) == end;
}

}  // namespace cboard::writer
