#include "reader/live/followed_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cboard/record/crc32c.h"

namespace cboard::reader {
namespace {

// Enough for the last record's time and checksum, which no other file has in the same place.
constexpr std::uint64_t kTailBytes = 256;

// How often a file that is written over while it is read is begun again at once.
constexpr int kMaxAttempts = 3;

// The checksum of the last bytes before `end`; nothing if they cannot be read.
std::optional<std::uint32_t> TailCrc(const File& file, std::uint64_t end) {
  std::array<std::byte, kTailBytes> buffer;
  const std::size_t size = static_cast<std::size_t>(std::min(end, kTailBytes));
  const Result<std::size_t> count = file.ReadAt(end - size, MutableByteSpan(buffer).first(size));
  if (!count || *count != size) return std::nullopt;
  return ComputeCrc32c(ByteSpan(buffer).first(size));
}

}  // namespace

ReadOutcome FollowedFile::Read(const std::string& path, const FileStatus& seen,
                               const ReadOptions& options) {
  std::lock_guard lock(mutex_);
  return ReadLocked(path, seen, options);
}

std::optional<ReadOutcome> FollowedFile::TryRead(const std::string& path, const FileStatus& seen,
                                                 const ReadOptions& options) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return std::nullopt;
  return ReadLocked(path, seen, options);
}

std::optional<ReadOutcome> FollowedFile::ReadStored(const std::string& path, const FileStatus& seen,
                                                    TagInfoMemory& tags) {
  std::lock_guard lock(mutex_);
  if (!stored_ || stored_->status != seen) return std::nullopt;
  TakeStored(path, tags);
  if (!index_) return std::nullopt;
  return Outcome();
}

void FollowedFile::Forget(const std::string& path) {
  index_.emplace(path);
  path_ = path;
  view_ = nullptr;
  tail_crc_ = 0;
  from_store_ = false;
  stored_bytes_ = 0;
  ++generation_;
}

void FollowedFile::TakeStored(const std::string& path, TagInfoMemory& tags) {
  const StoredIndex stored = *std::exchange(stored_, std::nullopt);
  Result<FileIndex> index = FileIndex::Decode(path, stored.encoded, stored.owner, tags);
  if (!index) return;  // Damaged, or of another version: the file is read instead.
  std::shared_ptr<const FileView> view = index->View();
  if (view->read_bytes != stored.read_bytes) return;
  index_ = *std::move(index);
  path_ = path;
  view_ = std::move(view);
  status_ = stored.status;
  tail_crc_ = stored.tail_crc;
  from_store_ = true;
  stored_bytes_ = stored.read_bytes;
}

ReadOutcome FollowedFile::Outcome() const {
  return {.view = view_,
          .status = status_,
          .generation = generation_,
          .from_store = from_store_,
          .stored_bytes = stored_bytes_,
          .scalar_bytes = index_->scalar_bytes(),
          .blob_index_bytes = index_->blob_index_bytes()};
}

ReadOutcome FollowedFile::ReadLocked(const std::string& path, const FileStatus& seen,
                                     const ReadOptions& options) {
  const bool is_first = !index_;
  if (stored_) {
    TagInfoMemory tags;
    TakeStored(path, tags);
  }
  if (!index_) Forget(path);
  if (path != path_) {
    index_->Rename(path);
    path_ = path;
    if (view_) view_ = index_->View();
  }
  if (is_first && from_store_ && status_ == seen) return Outcome();

  const Result<File> file = File::OpenForReading(path);
  if (!file) {
    if (file.error().code == ErrorCode::kNotFound) return {};
    auto view = std::make_shared<FileView>(view_ ? *view_ : *index_->View());
    view->file.error = file.error();
    view_ = std::move(view);
    return Outcome();
  }
  for (int attempt = 1; !ReadUnchanged(path, *file, seen, options); ++attempt) {
    if (attempt < kMaxAttempts) {
      Forget(path);
    } else {
      tail_crc_ = ~tail_crc_;  // Recognised by nobody: the next report of a change reads it anew.
      break;
    }
  }
  return Outcome();
}

bool FollowedFile::ReadUnchanged(const std::string& path, const File& file, const FileStatus& seen,
                                 const ReadOptions& options) {
  const FileStatus before = StatusOf(file.descriptor()).value_or(seen);
  const std::uint64_t known_bytes = view_ ? view_->read_bytes : 0;
  if (known_bytes > 0 && (before.id != status_.id || before.size_bytes < known_bytes ||
                          TailCrc(file, known_bytes) != tail_crc_)) {
    Forget(path);
  }
  status_ = before;
  const std::optional<std::uint32_t> end_before = TailCrc(file, before.size_bytes);
  index_->ReadOn(file, options);
  view_ = index_->View();
  if (view_->read_bytes > 0) tail_crc_ = TailCrc(file, view_->read_bytes).value_or(0);
  return TailCrc(file, before.size_bytes) == end_before;
}

bool FollowedFile::VerifyStored() {
  std::lock_guard lock(mutex_);
  if (!from_store_ || index_->Verify()) return true;
  Forget(path_);
  return false;
}

std::optional<StoredIndex> FollowedFile::Store(EncodedIndex& out) {
  std::lock_guard lock(mutex_);
  if (!view_ || view_->read_bytes == 0 || view_->file.error) return std::nullopt;
  out = index_->Encode();
  return StoredIndex{.status = status_,
                     .read_bytes = view_->read_bytes,
                     .tail_crc = tail_crc_,
                     .encoded = {},
                     .owner = nullptr};
}

}  // namespace cboard::reader
