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

// The largest payload written or believed. Protobuf cannot carry more; a longer length in a file
// is damage that happens to have a valid checksum, and trusting it would allocate whatever the
// file asks for.
inline constexpr std::uint64_t kMaxRecordBytes = (std::uint64_t{1} << 31) - 1;

// Writes the framed `payload`, which must not exceed kMaxRecordBytes, to `out`, which must have
// room for kRecordOverheadBytes more than it.
void StoreRecord(ByteSpan payload, std::byte* out);

// As StoreRecord, behind what `out` holds.
void AppendRecord(ByteSpan payload, std::string& out);

// Appends records to a sink.
//
//   RecordWriter writer(file);
//   CBOARD_RETURN_IF_ERROR(writer.Append(event_bytes));
//
// Each record reaches the sink in one Write, so a reader that follows the file while it grows
// meets half a record only when the operating system splits the write. Not thread-safe.
class RecordWriter {
 public:
  // Borrows `sink`, which must outlive the writer.
  explicit RecordWriter(ByteSink& sink) : sink_(sink) {}

  // Appends one record; an empty payload is a record too. Returns the sink's error, if any,
  // after which the file may end in a partial record that readers report as kTruncated.
  Result<void> Append(ByteSpan payload);

 private:
  ByteSink& sink_;
  std::string frame_;  // Kept between calls, so that Append stops allocating.
};

}  // namespace cboard::record
