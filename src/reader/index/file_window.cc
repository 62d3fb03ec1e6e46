#include "reader/index/file_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cboard::reader {
namespace {

constexpr std::size_t kWindowBytes = 256 << 10;
constexpr std::size_t kMaxKeptBytes = 4 << 20;

// Buffers that this thread has used before.
std::vector<std::vector<std::byte>>& SpareBuffers() {
  thread_local std::vector<std::vector<std::byte>> spare;
  return spare;
}

}  // namespace

FileWindow::FileWindow(const File& file, std::atomic<std::uint64_t>* bytes_read)
    : file_(file), bytes_read_(bytes_read) {
  auto& spare = SpareBuffers();
  if (spare.empty()) {
    buffer_.resize(kWindowBytes + kPaddingBytes);
  } else {
    buffer_ = std::move(spare.back());
    spare.pop_back();
  }
}

FileWindow::~FileWindow() {
  if (buffer_.size() <= kMaxKeptBytes) SpareBuffers().push_back(std::move(buffer_));
}

Result<ByteSpan> FileWindow::At(std::uint64_t offset, std::size_t wanted) {
  const bool begins_inside = offset >= begin_ && offset <= begin_ + size_;
  std::size_t kept = begins_inside ? static_cast<std::size_t>(begin_ + size_ - offset) : 0;
  if (kept < wanted) {
    if (kept > 0) std::memmove(buffer_.data(), buffer_.data() + (offset - begin_), kept);
    begin_ = offset;
    size_ = kept;
    bool at_end = false;
    while (size_ < wanted && !at_end) {
      std::size_t room = buffer_.size() - kPaddingBytes;
      if (size_ == room) {
        room = std::min(wanted, 2 * room);
        buffer_.resize(room + kPaddingBytes);
      }
      const MutableByteSpan free(buffer_.data() + size_, room - size_);
      CBOARD_ASSIGN_OR_RETURN(const std::size_t got, file_.ReadAt(begin_ + size_, free));
      if (bytes_read_ != nullptr) bytes_read_->fetch_add(got, std::memory_order_relaxed);
      at_end = got < free.size();
      size_ += got;
    }
    kept = size_;
  }
  return ByteSpan(buffer_.data() + (offset - begin_), kept);
}

}  // namespace cboard::reader
