// Reads the records of an event file in order, and skips damaged and incomplete records.
//
//   FileSource source(file);
//   RecordReader reader(source);
//   while (true) {
//     Result<Record> record = reader.Next();
//     if (record) { Use(record->payload); continue; }
//     if (record.error().code == ErrorCode::kDataLoss) { Report(record.error()); continue; }
//     break;  // kTruncated: the end, for now. Next() may be called again when the file has grown.
//   }
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"
#include "cboard/record/readable_file.h"

namespace cboard::record {

// Source of bytes: a file, a buffer, or a fake that grows between two reads.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to `buffer.size()` bytes at `offset`. Reads fewer bytes only at the current end of the
  // source.
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) = 0;

  // Returns the end of the hole that contains `offset`. A hole is a range of zeros that a sparse
  // file does not store and that callers need not read. Returns `offset` if no hole is known there.
  virtual std::uint64_t EndOfHole(std::uint64_t offset) { return offset; }
};

// Blocks that the disk cannot read are zeros, see ReadableFile.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const File& file) : file_(file) {}  // Borrows `file`.
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) override {
    return file_.ReadAt(offset, buffer);
  }
  std::uint64_t EndOfHole(std::uint64_t offset) override;

  const ReadableFile& file() const { return file_; }

 private:
  ReadableFile file_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(ByteSpan bytes) : bytes_(bytes) {}  // Borrows the bytes.
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) override {
    if (offset >= bytes_.size()) return 0;
    const ByteSpan rest = bytes_.subspan(static_cast<std::size_t>(offset));
    const std::size_t count = std::min(rest.size(), buffer.size());
    std::copy_n(rest.begin(), count, buffer.begin());
    return count;
  }

 private:
  ByteSpan bytes_;
};

struct Record {
  std::uint64_t offset = 0;  // Offset of the record's length field.
  ByteSpan payload;          // Valid until the next call of Next().
};

// Reads the records of a byte source. This class is not thread-safe.
class RecordReader {
 public:
  // Creates a reader that borrows `source`, which must outlive it.
  explicit RecordReader(ByteSource& source, std::uint64_t offset = 0)
      : source_(source), offset_(offset) {}

  // Returns the next record whose two checksums are valid. Otherwise fails with
  //   kTruncated  if no complete record is left. The position stays, so that a later call after the
  //               file has grown reads the record that was still being written;
  //   kDataLoss   if bytes were skipped up to the next place with a valid length checksum and
  //               payload checksum (or up to the current end, if there is none). The message names
  //               the skipped bytes, and the next call continues after them. An incomplete record
  //               at the current end is skipped only if a complete record is inside it: then a
  //               program continued writing after an incomplete record;
  //   others      if the source fails.
  // Reads a file in linear time, however it is damaged. In a file that was crafted to waste time,
  // records over 4 KiB may be treated as damage.
  Result<Record> Next();

  std::uint64_t offset() const { return offset_; }

  // Returns a position X: no complete record begins between offset() and X. Call it after Next()
  // has failed with kTruncated. A later reader that starts at offset() can pass X to
  // SkipSearched(), to skip the bytes that were searched already.
  std::uint64_t searched_end() const { return searched_end_; }
  void SkipSearched(std::uint64_t end) { searched_end_ = end; }

  std::uint64_t skipped_bytes() const { return skipped_bytes_; }

 private:
  Result<ByteSpan> Window(std::uint64_t offset, std::size_t size);
  struct Found {
    std::uint64_t offset = 0;  // Start of the record, or the end of the search.
    bool is_whole = false;
    std::uint64_t first_torn = 0;  // Offset of a valid header whose record is incomplete; 0: none.
  };
  Result<Found> FindRecord(std::uint64_t from);
  Result<Record> SkipDamage(std::string reason);
  Result<Record> SkipTorn(std::size_t available);
  tl::unexpected<Error> Skipped(const std::string& reason, std::uint64_t end);
  bool ShouldCheckPayload(std::uint64_t offset, std::uint64_t length) const;

  ByteSource& source_;
  std::uint64_t offset_;
  std::uint64_t skipped_bytes_ = 0;
  std::uint64_t searched_end_ = 0;
  std::uint64_t wasted_bytes_ = 0;  // Bytes that were read because of wrong lengths.
  std::uint64_t window_offset_ = 0;
  std::vector<std::byte> window_;
};

}  // namespace cboard::record
