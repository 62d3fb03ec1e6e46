// Reads the records of an event file one after the other, past torn tails and damage.
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
#include <string>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard::record {

// Where bytes come from: a file, a buffer, or a fake that grows between two reads.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to `buffer.size()` bytes at `offset`; fewer only at the present end.
  virtual Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) = 0;

  // All bytes from `offset` up to the returned position are zeros that need not be read, as in the
  // hole of a sparse file; `offset` itself if nothing is known.
  virtual std::uint64_t EndOfHole(std::uint64_t offset) { return offset; }
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const File& file) : file_(file) {}  // Borrows `file`.
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) override {
    return file_.ReadAt(offset, buffer);
  }
  std::uint64_t EndOfHole(std::uint64_t offset) override;

 private:
  const File& file_;
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

// Not thread-safe.
class RecordReader {
 public:
  // Borrows `source`, which must outlive the reader.
  explicit RecordReader(ByteSource& source, std::uint64_t offset = 0)
      : source_(source), offset_(offset) {}

  // The next record whose two checksums hold. Otherwise
  //   kTruncated  no whole record is left; the position stays, so that calling again after the
  //               file has grown resumes the record that was still being written;
  //   kDataLoss   bytes were skipped up to the next place whose length checksum and payload
  //               checksum hold (or up to the present end, if there is none); the message says
  //               which bytes, and the next call goes on behind them. A record that reaches past
  //               the present end is skipped only if a whole record lies inside it: somebody went
  //               on writing behind a record that was cut;
  //   others      from the source.
  // Reading a file to its end takes time in proportion to its size, however it is damaged; in one
  // made to waste time, records over 4 KiB may be taken for damage.
  Result<Record> Next();

  std::uint64_t offset() const { return offset_; }

  // After kTruncated: up to here no whole record begins. A later reader that starts at offset()
  // need not search these bytes again if it is told so.
  std::uint64_t searched_end() const { return searched_end_; }
  void SkipSearched(std::uint64_t end) { searched_end_ = end; }

  std::uint64_t skipped_bytes() const { return skipped_bytes_; }

 private:
  Result<ByteSpan> Window(std::uint64_t offset, std::size_t size);
  struct Found {
    std::uint64_t offset = 0;  // Start of the record, or where the search stopped.
    bool is_whole = false;
    std::uint64_t first_torn = 0;  // A header that holds, of a record past the end; 0: none.
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
  std::uint64_t wasted_bytes_ = 0;  // Looked at for the sake of lengths that were wrong.
  std::uint64_t window_offset_ = 0;
  std::vector<std::byte> window_;
};

}  // namespace cboard::record
