// Reads all bytes of a short file at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"

namespace cboard::reader {

// Reads a file with one system call: for ten thousand short files, the calls cost more than the
// bytes. The buffer belongs to the thread, so a thread can use only one ShortFile at a time.
class ShortFile {
 public:
  static constexpr std::size_t kMaxBytes = 256 << 10;

  ShortFile(const File& file, std::uint64_t size_bytes);
  ShortFile(const ShortFile&) = delete;
  ShortFile& operator=(const ShortFile&) = delete;

  // Returns the content if the file has `size_bytes` bytes and at most kMaxBytes, otherwise an
  // empty span. FileWindow::kPaddingBytes bytes behind the content may be read too.
  ByteSpan content() const { return content_; }

 private:
  ByteSpan content_;
};

}  // namespace cboard::reader
