#include "cboard/record/readable_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cboard::record {
namespace {

constexpr std::uint64_t kBlockBytes = 4096;

constexpr std::size_t kMaxBadBlocks = 64;
constexpr auto kMaxTime = std::chrono::seconds(30);

// Whether the disk cannot read a block, or its file system finds a wrong checksum in it.
bool IsBadBlock(int reason) {
  return reason == EIO || reason == ENODATA || reason == EILSEQ || reason == EBADMSG ||
         reason == EUCLEAN;
}

}  // namespace

Result<std::size_t> ReadableFile::ReadAt(std::uint64_t offset, MutableByteSpan buffer) {
  if (error_) return ReadBlocks(offset, buffer, *error_);
  Result<std::size_t> read = file_.ReadAt(offset, buffer);
  return read ? read : ReadBlocks(offset, buffer, read.error());
}

Result<std::size_t> ReadableFile::ReadBlocks(std::uint64_t offset, MutableByteSpan buffer,
                                             const Error& error) {
  const std::uint64_t end = file_.Size().value_or(0);
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const std::uint64_t at = offset + filled;
    const std::uint64_t block = at / kBlockBytes;
    const MutableByteSpan rest = buffer.subspan(filled);
    const MutableByteSpan wanted =
        rest.first(std::min<std::size_t>(rest.size(), (block + 1) * kBlockBytes - at));
    if (std::ranges::find(bad_blocks_, block) == bad_blocks_.end()) {
      const ssize_t count =
          ::pread(file_.descriptor(), wanted.data(), wanted.size(), static_cast<off_t>(at));
      if (count == 0) break;
      if (count > 0) filled += static_cast<std::size_t>(count);
      if (count > 0 || errno == EINTR) continue;
      if (!IsBadBlock(errno) || at >= end || !Skips(block)) return Fail(error);
      if (!error_) error_ = error;
    }
    if (at >= end) break;
    const MutableByteSpan zeros = wanted.first(std::min<std::size_t>(wanted.size(), end - at));
    std::ranges::fill(zeros, std::byte{0});
    filled += zeros.size();
  }
  return filled;
}

bool ReadableFile::HasBadBlock(std::uint64_t begin, std::uint64_t end) const {
  return std::ranges::any_of(bad_blocks_, [&](std::uint64_t block) {
    return block * kBlockBytes < end && (block + 1) * kBlockBytes > begin;
  });
}

bool ReadableFile::Skips(std::uint64_t block) {
  const auto now = std::chrono::steady_clock::now();
  if (bad_blocks_.empty()) give_up_ = now + kMaxTime;
  if (bad_blocks_.size() == kMaxBadBlocks || now > give_up_) return false;
  bad_blocks_.push_back(block);
  return true;
}

}  // namespace cboard::record
