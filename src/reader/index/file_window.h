// A window of a file: the bytes from some position on, read in large pieces.
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

// Reads a file through a buffer. Other programs may truncate, overwrite or replace a log at any
// time, but they cannot change bytes in the buffer after the checksum of these bytes was verified.
// Long fields that are only compared with a checksum may be mapped instead (see Mapped()).
//
// The buffer belongs to the thread, so that ten thousand files do not each need fresh memory. For a
// long record, the buffer grows with the bytes that arrive, and not with the length in the record's
// header.
class FileWindow {
 public:
  // Number of bytes behind the window that may be read. Their values are undefined.
  static constexpr std::size_t kPaddingBytes = 64;

  // Creates a window that borrows `file` and `bytes_read`. If `bytes_read` is not null, the number
  // of new bytes is added to it.
  explicit FileWindow(const File& file, std::atomic<std::uint64_t>* bytes_read = nullptr)
      : file_(file), readable_(file), bytes_read_(bytes_read) {}
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // Makes `wanted` bytes from `offset` on available, or fewer at the end of the file. The end of
  // the file is its end at the first time that it was reached. Blocks that the disk cannot read are
  // zeros.
  Result<ByteSpan> At(std::uint64_t offset, std::size_t wanted);

  // Sets the content of the whole file, which the caller has already read. The caller keeps the
  // bytes alive, with kPaddingBytes behind them.
  void Provide(ByteSpan content);

  // Sets the position before which a file is mapped and copied instead of read, if enough bytes are
  // left. Copying is faster there: the next bytes can be fetched while others are parsed. `limit`
  // must not be behind the end of the file.
  void SetLimit(std::uint64_t limit) { limit_ = limit; }

  // Returns the address of the bytes behind the window, for __builtin_prefetch. The address may be
  // invalid.
  const std::byte* ahead() const { return ahead_; }

  // Maps at least `wanted` bytes from `offset` on, up to the limit. Other programs may change these
  // bytes at any time (see FileMapping). The result is empty if reading the bytes is faster.
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
  // Bytes before this position were already added to `bytes_read_`.
  std::uint64_t counted_end_ = 0;
};

}  // namespace cboard::reader
