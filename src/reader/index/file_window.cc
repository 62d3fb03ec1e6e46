#include "reader/index/file_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cboard::reader {
namespace {

constexpr std::size_t kBufferBytes = 256 << 10;
constexpr std::size_t kMaxKeptBytes = 4 << 20;

// Buffers that this thread has used before.
std::vector<std::vector<std::byte>>& SpareBuffers() {
  thread_local std::vector<std::vector<std::byte>> spare;
  return spare;
}

}  // namespace

FileWindow::~FileWindow() {
  if (!buffer_.empty() && buffer_.size() <= kMaxKeptBytes) {
    SpareBuffers().push_back(std::move(buffer_));
  }
}

Result<ByteSpan> FileWindow::At(std::uint64_t offset, std::size_t wanted) {
  const bool begins_inside = offset >= begin_ && offset - begin_ <= window_.size();
  const std::size_t at_hand =
      begins_inside ? window_.size() - static_cast<std::size_t>(offset - begin_) : 0;
  const bool is_all = begins_inside && (at_hand >= wanted || ends_file_);
  if (!is_all) CBOARD_RETURN_IF_ERROR(Read(offset, wanted));
  return window_.subspan(static_cast<std::size_t>(offset - begin_));
}

Result<void> FileWindow::Read(std::uint64_t offset, std::size_t wanted) {
  if (buffer_.empty()) {
    auto& spare = SpareBuffers();
    if (spare.empty()) {
      buffer_.resize(kBufferBytes + kPaddingBytes);
    } else {
      buffer_ = std::move(spare.back());
      spare.pop_back();
    }
  }
  const bool begins_inside = offset >= begin_ && offset - begin_ <= window_.size();
  std::size_t size = 0;
  if (begins_inside && !window_.empty()) {
    const ByteSpan kept = window_.subspan(static_cast<std::size_t>(offset - begin_));
    std::memmove(buffer_.data(), kept.data(), kept.size());
    size = kept.size();
  }
  begin_ = offset;
  window_ = ByteSpan(buffer_.data(), size);
  bool at_end = false;
  ends_file_ = false;
  while (size < wanted && !at_end) {
    std::size_t room = buffer_.size() - kPaddingBytes;
    if (size == room) {
      room = std::min(wanted, 2 * room);
      buffer_.resize(room + kPaddingBytes);
    }
    const MutableByteSpan free(buffer_.data() + size, room - size);
    window_ = ByteSpan(buffer_.data(), size);  // Also if reading fails.
    CBOARD_ASSIGN_OR_RETURN(const std::size_t got, file_.ReadAt(begin_ + size, free));
    at_end = got < free.size();
    size += got;
    CountUpTo(begin_ + size);
  }
  window_ = ByteSpan(buffer_.data(), size);
  ends_file_ = at_end;
  return {};
}

void FileWindow::CountUpTo(std::uint64_t end) {
  const std::uint64_t from = std::max(begin_, counted_end_);
  if (bytes_read_ == nullptr || end <= from) return;
  bytes_read_->fetch_add(end - from, std::memory_order_relaxed);
  counted_end_ = end;
}

}  // namespace cboard::reader
