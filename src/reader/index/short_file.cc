#include "reader/index/short_file.h"

#include <unistd.h>

#include <memory>

#include "reader/index/file_window.h"

namespace cboard::reader {

ShortFile::ShortFile(const File& file, std::uint64_t size_bytes) {
  if (size_bytes > kMaxBytes) return;
  thread_local const std::unique_ptr<std::byte[]> buffer(
      new std::byte[kMaxBytes + FileWindow::kPaddingBytes]);
  // Reads one byte more than the size, which shows whether the file is longer. If fewer bytes
  // arrive, for example after a signal, the content stays empty and the caller reads in a loop.
  const ssize_t count = ::pread(file.descriptor(), buffer.get(), size_bytes + 1, 0);
  if (count < 0 || static_cast<std::uint64_t>(count) != size_bytes) return;
  content_ = ByteSpan(buffer.get(), static_cast<std::size_t>(size_bytes));
}

}  // namespace cboard::reader
