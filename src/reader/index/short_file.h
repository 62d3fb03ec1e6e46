// The bytes of a short file, read at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"

namespace cboard::reader {

// Reads with one system call: of ten thousand short files, calls cost more than bytes. The buffer
// is lent by the thread, so a thread has one ShortFile at a time.
class ShortFile {
 public:
  static constexpr std::size_t kMaxBytes = 256 << 10;

  ShortFile(const File& file, std::uint64_t size_bytes);
  ShortFile(const ShortFile&) = delete;
  ShortFile& operator=(const ShortFile&) = delete;

  // The content, if the file has `size_bytes` bytes and not more than kMaxBytes; empty otherwise.
  // FileWindow::kPaddingBytes behind it may be read.
  ByteSpan content() const { return content_; }

 private:
  ByteSpan content_;
};

}  // namespace cboard::reader
