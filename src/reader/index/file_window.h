// The bytes of a file at and behind a position, read in pieces of 256 KiB.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard::reader {

// Files are read rather than mapped: one that is cut short while it is mapped would end the
// program. The buffer is lent by the thread, so that ten thousand files do not each touch fresh
// memory; it grows for a record that is longer, as bytes arrive and not as a length promises.
class FileWindow {
 public:
  // Behind the window so many bytes may be looked at, but mean nothing.
  static constexpr std::size_t kPaddingBytes = 64;

  // Borrows `file`. Adds what is read to `bytes_read`, if that is not null.
  FileWindow(const File& file, std::atomic<std::uint64_t>* bytes_read);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // Makes `wanted` bytes from `offset` on available; fewer only at the present end of the file.
  Result<ByteSpan> At(std::uint64_t offset, std::size_t wanted);

 private:
  const File& file_;
  std::atomic<std::uint64_t>* bytes_read_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // Of the window in the file.
  std::size_t size_ = 0;
};

}  // namespace cboard::reader
