#include "cboard/reader/read_blob.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "cboard/base/check.h"
#include "cboard/record/crc32c.h"
#include "reader/query/blob_reader.h"

namespace cboard::reader {

namespace {

constexpr std::size_t kHeaderBytes = 12;  // The size of the length field and its checksum.
constexpr std::size_t kFooterBytes = 4;   // The size of the payload's checksum.

tl::unexpected<Error> Changed(const File& file, const BlobEntry& entry, std::string what) {
  return Fail(ErrorCode::kDataLoss,
              "'" + file.path().string() + "' at offset " + std::to_string(entry.record_offset) +
                  ": " + std::move(what) + "; the event file was changed after it was read");
}

}  // namespace

Result<Blob> ReadBlobAt(const File& file, const BlobEntry& entry) {
  const std::uint64_t record_bytes =
      kHeaderBytes + std::uint64_t{entry.record_bytes} + kFooterBytes;
  if (std::uint64_t{entry.value_offset} + entry.value_bytes > entry.record_bytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "the index of an event file is damaged: an entry is larger than its record");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::uint64_t file_bytes, file.Size());
  if (file_bytes < record_bytes || entry.record_offset > file_bytes - record_bytes) {
    return Changed(file, entry, "the file ends at " + std::to_string(file_bytes));
  }
  std::string record(record_bytes, '\0');
  const MutableByteSpan buffer = std::as_writable_bytes(std::span(record));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t read, file.ReadAt(entry.record_offset, buffer));
  if (read != record_bytes) return Changed(file, entry, "the file became shorter");

  const ByteSpan bytes = buffer;
  const ByteSpan payload = bytes.subspan(kHeaderBytes, entry.record_bytes);
  const auto holds = [](ByteSpan data, ByteSpan checksum) {
    return LoadLittleEndian<std::uint32_t>(checksum) ==
           record::ToInteger(record::ComputeMaskedCrc(data));
  };
  if (LoadLittleEndian<std::uint64_t>(bytes) != entry.record_bytes ||
      !holds(bytes.first(8), bytes.subspan(8, 4))) {
    return Changed(file, entry,
                   "there is no record of " + std::to_string(entry.record_bytes) + " bytes here");
  }
  if (!holds(payload, bytes.last(kFooterBytes))) {
    return Changed(file, entry, "the data do not match their checksum");
  }
  record.resize(kHeaderBytes + entry.value_offset + entry.value_bytes);
  record.erase(0, kHeaderBytes + entry.value_offset);
  return Blob{entry, std::move(record)};
}

Result<Blob> BlobReader::Read(const BlobEntry& entry) {
  if (entry.file >= run_.files.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the run has no event file with the index " + std::to_string(entry.file) +
                    "; the number of its event files is " + std::to_string(run_.files.size()));
  }
  if (!file_ || file_index_ != entry.file) {
    file_.reset();
    CBOARD_ASSIGN_OR_RETURN(file_, File::OpenForReading(run_.files[entry.file]->path));
    file_index_ = entry.file;
  }
  return ReadBlobAt(*file_, entry);
}

Result<Blob> ReadBlob(const Run& run, const BlobEntry& entry) {
  return BlobReader(run).Read(entry);
}

Result<std::vector<Blob>> ReadBlobs(const Run& run, const std::vector<BlobEntry>& entries) {
  // Sorts the entries by file and position, so that each file is opened once and read forwards.
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(entries[i].file, entries[i].record_offset);
  });
  std::vector<Blob> blobs(entries.size());
  BlobReader blob_reader(run);
  for (const std::size_t i : order) {
    CBOARD_ASSIGN_OR_RETURN(blobs[i], blob_reader.Read(entries[i]));
  }
  return blobs;
}

}  // namespace cboard::reader
