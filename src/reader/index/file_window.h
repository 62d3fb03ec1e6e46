// The bytes of a file at and behind a position, read in large pieces.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"
#include "reader/index/file_mapping.h"

namespace cboard::reader {

// The file is read into a buffer. Other programs may truncate, overwrite or replace a log at any
// time, but nobody can change the bytes in the buffer once their checksum has been compared. Long
// bytes that are only compared with a checksum may be mapped instead, see Mapped.
//
// The buffer is lent by the thread, so that ten thousand files do not each touch fresh memory. It
// grows for a record that is longer, as bytes arrive and not as a length promises.
class FileWindow {
 public:
  // Number of bytes behind the window that may be read; their values are undefined.
  static constexpr std::size_t kPaddingBytes = 64;

  // Borrows both. Adds bytes that become available for the first time to `bytes_read`, if that is
  // not null.
  explicit FileWindow(const File& file, std::atomic<std::uint64_t>* bytes_read = nullptr)
      : file_(file), bytes_read_(bytes_read) {}
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // Makes `wanted` bytes from `offset` on available; fewer only at the end of the file, which is
  // where it was when it was first met.
  Result<ByteSpan> At(std::uint64_t offset, std::size_t wanted);

  // Bytes before `limit`, which is not behind the end of the file, are better copied from a mapping
  // than read, if there are many of them: the next ones can be fetched while others are parsed.
  void SetLimit(std::uint64_t limit) { limit_ = limit; }

  // The address of the bytes behind the window, for __builtin_prefetch; may be invalid.
  const std::byte* ahead() const { return ahead_; }

  // `wanted` bytes from `offset` on, or more of those before the limit, as the file has them: other
  // programs may change them at any time, see FileMapping. Empty if they are better read.
  ByteSpan Mapped(std::uint64_t offset, std::size_t wanted);

 private:
  Result<void> Read(std::uint64_t offset, std::size_t wanted);
  bool Copy(std::uint64_t offset, std::size_t wanted);
  void TakeBuffer();
  void CountUpTo(std::uint64_t begin, std::uint64_t end);

  const File& file_;
  std::atomic<std::uint64_t>* const bytes_read_;
  std::vector<std::byte> buffer_;
  std::size_t read_ahead_bytes_ = 0;  // Read at once, if fewer are wanted; 0: nothing was read yet.
  std::uint64_t begin_ = 0;           // Start of the window in the file.
  ByteSpan window_;                   // In the buffer.
  bool ends_file_ = false;            // Where the window ends the file ended, a moment ago.
  std::optional<FileMapping> mapping_;
  std::uint64_t limit_ = 0;
  bool can_map_ = true;
  const std::byte* ahead_ = nullptr;
  std::uint64_t mapped_begin_ = 0;  // Start of the mapping in the file.
  ByteSpan mapped_;
  std::uint64_t counted_end_ = 0;  // Bytes before this are already in `bytes_read_`.
};

}  // namespace cboard::reader
