// The bytes of a file at and behind a position, read or mapped in large pieces.
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

// A file that could be cut short meanwhile is read into a buffer. The buffer is lent by the thread,
// so that ten thousand files do not each touch fresh memory; it grows for a record that is longer,
// as bytes arrive and not as a length promises.
class FileWindow {
 public:
  // Behind the window so many bytes may be looked at, but mean nothing.
  static constexpr std::size_t kPaddingBytes = 64;

  // Borrows all. With `lease`, at least `min_mapped_bytes` that are left before `limit` are mapped
  // if that is safe; behind it is what others look at. Adds what becomes available for the first
  // time to `bytes_read`, if that is not null.
  FileWindow(const File& file, FileLease* lease, std::uint64_t min_mapped_bytes,
             std::uint64_t limit, std::atomic<std::uint64_t>* bytes_read);
  explicit FileWindow(const File& file) : FileWindow(file, nullptr, 0, 0, nullptr) {}
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // Makes `wanted` bytes from `offset` on available; fewer only at the end of the file, which is
  // where it was when it was first met.
  Result<ByteSpan> At(std::uint64_t offset, std::size_t wanted);

 private:
  bool Map(std::uint64_t offset, std::size_t wanted);
  Result<void> Read(std::uint64_t offset, std::size_t wanted);
  void CountUpTo(std::uint64_t end);

  const File& file_;
  const std::uint64_t min_mapped_bytes_;
  const std::uint64_t limit_;
  std::atomic<std::uint64_t>* const bytes_read_;
  std::optional<FileMapping> mapping_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;        // Of the window in the file.
  ByteSpan window_;                // In the mapping or in the buffer.
  bool ends_file_ = false;         // Where the window ends the file ended, a moment ago.
  std::uint64_t counted_end_ = 0;  // What lies before has been added to `bytes_read_`.
};

}  // namespace cboard::reader
