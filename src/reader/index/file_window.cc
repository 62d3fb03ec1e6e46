#include "reader/index/file_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cboard::reader {
namespace {

constexpr std::size_t kBufferBytes = 256 << 10;
constexpr std::size_t kMaxKeptBytes = 4 << 20;

// Number of bytes that are copied from a mapping at once. They fit into the L1 cache, and the next
// bytes fit into the L2 cache.
constexpr std::size_t kCopiedBytes = 32 << 10;
constexpr std::uint64_t kMinMappedBytes = 256 << 10;

// Number of bytes that are read at once after a gap of skipped bytes. It is small, because more
// bytes may be skipped.
constexpr std::size_t kMinReadAheadBytes = 4 << 10;

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
  if (!is_all && !Copy(offset, wanted)) CBOARD_RETURN_IF_ERROR(Read(offset, wanted));
  return window_.subspan(static_cast<std::size_t>(offset - begin_));
}

void FileWindow::Provide(ByteSpan content) {
  window_ = content;
  ends_file_ = true;
  CountUpTo(0, content.size());
}

ByteSpan FileWindow::Mapped(std::uint64_t offset, std::size_t wanted) {
  const auto is_there = [&] {
    return offset >= mapped_begin_ && offset - mapped_begin_ <= mapped_.size() &&
           mapped_.size() - static_cast<std::size_t>(offset - mapped_begin_) >= wanted;
  };
  if (!is_there()) {
    if (!can_map_) return {};
    if (!mapping_) mapping_.emplace(file_);
    mapped_begin_ = offset;
    mapped_ = mapping_->Map(offset, wanted, limit_);
    can_map_ = !mapped_.empty();
    if (!can_map_) return {};
  }
  const ByteSpan found = mapped_.subspan(static_cast<std::size_t>(offset - mapped_begin_));
  CountUpTo(offset, offset + wanted);
  return found;
}

void FileWindow::TakeBuffer() {
  if (!buffer_.empty()) return;
  auto& spare = SpareBuffers();
  if (spare.empty()) {
    buffer_.resize(kBufferBytes + kPaddingBytes);
  } else {
    buffer_ = std::move(spare.back());
    spare.pop_back();
  }
}

// Copies bytes from a mapping. If the file was truncated, the missing bytes are zero. No record
// begins with zeros; RecordReader then reads the file itself.
bool FileWindow::Copy(std::uint64_t offset, std::size_t wanted) {
  ahead_ = nullptr;
  if (limit_ < offset || limit_ - offset < kMinMappedBytes || wanted > kCopiedBytes) return false;
  const ByteSpan mapped = Mapped(offset, kCopiedBytes);
  if (mapped.empty()) return false;
  TakeBuffer();
  std::memcpy(buffer_.data(), mapped.data(), kCopiedBytes);
  begin_ = offset;
  window_ = ByteSpan(buffer_.data(), kCopiedBytes);
  ends_file_ = false;
  ahead_ = mapped.data() + kCopiedBytes;
  return true;
}

Result<void> FileWindow::Read(std::uint64_t offset, std::size_t wanted) {
  TakeBuffer();
  const bool begins_inside = offset >= begin_ && offset - begin_ <= window_.size();
  std::size_t size = 0;
  if (begins_inside && !window_.empty()) {
    const ByteSpan kept = window_.subspan(static_cast<std::size_t>(offset - begin_));
    std::memmove(buffer_.data(), kept.data(), kept.size());
    size = kept.size();
  }
  if (read_ahead_bytes_ == 0) {
    read_ahead_bytes_ = kBufferBytes;
  } else {
    read_ahead_bytes_ =
        begins_inside ? std::min(2 * read_ahead_bytes_, kBufferBytes) : kMinReadAheadBytes;
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
    const std::size_t read_at_once = std::max(wanted - size, read_ahead_bytes_);
    const MutableByteSpan free(buffer_.data() + size, std::min(room - size, read_at_once));
    window_ = ByteSpan(buffer_.data(), size);  // Also called if reading fails.
    CBOARD_ASSIGN_OR_RETURN(const std::size_t got, readable_.ReadAt(begin_ + size, free));
    at_end = got < free.size();
    size += got;
    CountUpTo(begin_, begin_ + size);
  }
  window_ = ByteSpan(buffer_.data(), size);
  ends_file_ = at_end;
  return {};
}

void FileWindow::CountUpTo(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t from = std::max(begin, counted_end_);
  if (bytes_read_ == nullptr || end <= from) return;
  bytes_read_->fetch_add(end - from, std::memory_order_relaxed);
  counted_end_ = end;
}

}  // namespace cboard::reader
