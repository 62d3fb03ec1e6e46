// A window of the bytes of a file: the bytes from a position on, read in large pieces.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"
#include "cboard/record/readable_file.h"
#include "reader/index/file_mapping.h"

namespace cboard::reader {

// The file is read into a buffer: other programs may truncate, overwrite or replace a log at any
// time, but cannot change bytes in the buffer after their checksum was verified. Long fields that
// are only compared with a checksum may be mapped instead, see Mapped().
//
// The thread lends the buffer, so that ten thousand files do not each need fresh memory. For a long
// record, the buffer grows with the bytes that arrive, and not with the length in the record's
// header.
class FileWindow {
 public:
  // The number of bytes after the window that may be read; their values are undefined.
  static constexpr std::size_t kPaddingBytes = 64;

  // Borrows `file` and `bytes_read`. If `bytes_read` is not null, newly available bytes are added
  // to it.
  explicit FileWindow(const File& file, std::atomic<std::uint64_t>* bytes_read = nullptr)
      : file_(file), readable_(file), bytes_read_(bytes_read) {}
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // Makes `wanted` bytes from `offset` on available, or fewer at the end of the file. The end of
  // the file is its end at the first time that it was reached. Blocks that the disk cannot read are
  // zeros.
  Result<ByteSpan> At(std::uint64_t offset, std::size_t wanted);

  // The content of the whole file, which the caller has read and keeps, with kPaddingBytes behind
  // it.
  void Provide(ByteSpan content);

  // Bytes before `limit`, which is not behind the end of the file, are better copied from a mapping
  // than read, if there are many of them: the next ones can be fetched while others are parsed.
  void SetLimit(std::uint64_t limit) { limit_ = limit; }

  // The address of the bytes after the window, for __builtin_prefetch; may be invalid.
  const std::byte* ahead() const { return ahead_; }

  // Maps at least `wanted` bytes from `offset` on, up to the limit. Other programs may change them
  // at any time, see FileMapping. Empty if reading them is faster.
  ByteSpan Mapped(std::uint64_t offset, std::size_t wanted);

 private:
  Result<void> Read(std::uint64_t offset, std::size_t wanted);
  bool Copy(std::uint64_t offset, std::size_t wanted);
  void TakeBuffer();
  void CountUpTo(std::uint64_t begin, std::uint64_t end);

  const File& file_;
  record::ReadableFile readable_;
  std::atomic<std::uint64_t>* const bytes_read_;
  std::vector<std::byte> buffer_;
  std::size_t read_ahead_bytes_ = 0;  // Read at once, if fewer are wanted; 0: nothing was read yet.
  std::uint64_t begin_ = 0;           // Start of the window in the file.
  ByteSpan window_;                   // In the buffer, or provided.
  bool ends_file_ = false;            // Where the window ends the file ended, a moment ago.
  std::optional<FileMapping> mapping_;
  std::uint64_t limit_ = 0;
  bool can_map_ = true;
  const std::byte* ahead_ = nullptr;
  std::uint64_t mapped_begin_ = 0;  // The start of the mapping in the file.
  ByteSpan mapped_;
  // Bytes before this position are already counted in `bytes_read_`.
  std::uint64_t counted_end_ = 0;
};

}  // namespace cboard::reader
