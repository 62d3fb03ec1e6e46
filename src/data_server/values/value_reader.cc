#include "data_server/values/value_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#include "data_server/values/stored_value.h"

namespace cboard::data_server {
namespace {

constexpr std::size_t kRecordHeaderBytes = 12;  // The size of the length field and its checksum.

// The number of bytes to read first: tag, data type and shape are at the beginning, and only images
// and sounds are larger.
constexpr std::size_t kFirstBytes = 1024;

}  // namespace

Result<std::string> ValueReader::Read(const reader::BlobEntry& entry) const {
  CBOARD_ASSIGN_OR_RETURN(reader::Blob blob, ReadBlob(run_, entry));
  return std::move(blob.bytes);
}

Result<std::string> ValueReader::FirstBytes(const reader::BlobEntry& entry) {
  if (entry.file >= run_.files.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the run has no event file with the number " + std::to_string(entry.file));
  }
  if (!file_ || file_index_ != entry.file) {
    file_.reset();
    CBOARD_ASSIGN_OR_RETURN(file_, File::OpenForReading(run_.files[entry.file]->path));
    file_index_ = entry.file;
  }
  std::string bytes(std::min<std::size_t>(entry.value_bytes, kFirstBytes), '\0');
  CBOARD_ASSIGN_OR_RETURN(
      const std::size_t read,
      file_->ReadAt(entry.record_offset + kRecordHeaderBytes + entry.value_offset,
                    std::as_writable_bytes(std::span(bytes))));
  if (read != bytes.size()) {
    return Fail(ErrorCode::kDataLoss,
                "the event file became shorter after it was read; reload the page");
  }
  return bytes;
}

Result<std::size_t> ValueReader::BlobCount(const reader::TagInfo& info,
                                           const reader::BlobEntry& entry) {
  CBOARD_ASSIGN_OR_RETURN(const std::string first, FirstBytes(entry));
  const Result<std::size_t> count = CountBlobs(info, first, entry.value_bytes);
  if (count || count.error().code != ErrorCode::kTruncated) return count;
  CBOARD_ASSIGN_OR_RETURN(const std::string whole, Read(entry));
  return CountBlobs(info, whole, whole.size());
}

}  // namespace cboard::data_server
