// Framing of TensorBoard event files: length-prefixed, checksummed records.
//
//   record := length:u64  crc(length):u32  payload:u8[length]  crc(payload):u32
//
// Integers are little-endian, and crc is the masked CRC-32C of crc32c.h.
// docs/formats/record.md walks through a real file byte by byte.
#pragma once

#include <string>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard::record {

inline constexpr std::size_t kRecordHeaderBytes = 12;
inline constexpr std::size_t kRecordFooterBytes = 4;
inline constexpr std::size_t kRecordOverheadBytes = kRecordHeaderBytes + kRecordFooterBytes;

// Maximum payload size for reading and writing. Protobuf messages cannot be larger. A larger length
// in a file is damage whose checksum is valid by accident; without this limit, a reader would
// allocate that much memory.
inline constexpr std::uint64_t kMaxRecordBytes = (std::uint64_t{1} << 31) - 1;

// Writes `payload` as a record to `out`: length, payload and checksums. `payload` must not exceed
// kMaxRecordBytes, and `out` must have room for payload.size() + kRecordOverheadBytes bytes.
void StoreRecord(ByteSpan payload, std::byte* out);

// Appends `payload` as a record to `out`, like StoreRecord.
void AppendRecord(ByteSpan payload, std::string& out);

// Appends records to a sink.
//
//   RecordWriter writer(file);
//   CBOARD_RETURN_IF_ERROR(writer.Append(event_bytes));
//
// Each record is written by one Write call, so a reader that follows the growing file sees an
// incomplete record only if the operating system splits the write. Not thread-safe.
class RecordWriter {
 public:
  // Creates a writer that borrows `sink`, which must outlive it.
  explicit RecordWriter(ByteSink& sink) : sink_(sink) {}

  // Appends one record; an empty payload is allowed. Returns the sink's error. After an error the
  // file may end in an incomplete record, which readers report as kTruncated.
  Result<void> Append(ByteSpan payload);

 private:
  ByteSink& sink_;
  std::string frame_;  // Kept between calls, so that Append stops allocating.
};

}  // namespace cboard::record
