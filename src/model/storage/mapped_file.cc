#include "model/storage/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <limits>
#include <thread>

#include "cboard/base/strings.h"

namespace cboard::model {
namespace {

// Waits for a write by another process that has already begun. The system sets the file's time at
// the start of a write, so the rest of a long write would not be noticed. On most file systems
// (ext4, btrfs, tmpfs) a search for holes waits for writers; on XFS, reading a byte does.
void AwaitWrite(const File& file) {
  ::lseek(file.descriptor(), 0, SEEK_DATA);
  std::byte first;
  (void)file.ReadAt(0, {&first, 1});
}

}  // namespace

MappedFile::Stamp MappedFile::StampOf(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .seconds = status.st_mtim.tv_sec,
          .nanoseconds = status.st_mtim.tv_nsec};
}

Result<MappedFile::Stamp> MappedFile::ReadStamp() const {
  struct stat status = {};
  if (::fstat(file_->descriptor(), &status) != 0) {
    return Fail(ErrnoError(errno, "get the size of " + Quoted(path_.string(), 1000)));
  }
  return StampOf(status);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::filesystem::path& path) {
  const std::string shown = Quoted(path.string(), 1000);
  // Checks the type of the file before opening it: opening a pipe would wait until another program
  // opens it too.
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Fail(ErrorCode::kInvalidArgument, shown + " is not a regular file");
  }
  std::shared_ptr<MappedFile> mapped(new MappedFile);
  mapped->path_ = path;
  CBOARD_ASSIGN_OR_RETURN(mapped->file_, File::OpenForReading(path));
  AwaitWrite(*mapped->file_);
  CBOARD_ASSIGN_OR_RETURN(mapped->stamp_, mapped->ReadStamp());
  using Seconds = std::chrono::duration<double>;
  const Seconds age = std::chrono::system_clock::now().time_since_epoch() -
                      Seconds(static_cast<double>(mapped->stamp_.seconds) +
                              1e-9 * static_cast<double>(mapped->stamp_.nanoseconds));
  if (age.count() >= 0 && age.count() < kStampSeconds) {
    std::this_thread::sleep_for(Seconds(kStampSeconds) - age);
    AwaitWrite(*mapped->file_);
    CBOARD_ASSIGN_OR_RETURN(mapped->stamp_, mapped->ReadStamp());
  }
  const std::uint64_t size = mapped->stamp_.size;
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    return Fail(ErrorCode::kResourceExhausted,
                "the file " + shown + " is larger than the address space of this program");
  }
  if (size > kMaxCopiedBytes) {
    mapped->mapping_ =
        GuardedMapping::Map(mapped->file_->descriptor(), static_cast<std::size_t>(size));
  }
  if (mapped->mapping_ != nullptr) {
    mapped->bytes_ = mapped->mapping_->bytes();
  } else {
    CBOARD_RETURN_IF_ERROR(mapped->ReadAll());
  }
  return mapped;
}

void MappedFile::ReleasePages() const {
  if (mapping_ == nullptr || bytes_.empty()) return;
  ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

Result<void> MappedFile::ReadAll() {
  memory_.resize(static_cast<std::size_t>(stamp_.size));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t count,
                          file_->ReadAt(0, std::as_writable_bytes(std::span(memory_))));
  if (count < memory_.size()) {
    return Changed("had " + std::to_string(stamp_.size) + " bytes when it was opened and has " +
                   std::to_string(count) + " now");
  }
  bytes_ = AsBytes(memory_);
  return {};
}

std::shared_ptr<const MappedFile> MappedFile::FromMemory(std::string bytes,
                                                         std::filesystem::path path) {
  std::shared_ptr<MappedFile> mapped(new MappedFile);
  mapped->path_ = std::move(path);
  mapped->memory_ = std::move(bytes);
  mapped->bytes_ = AsBytes(mapped->memory_);
  return mapped;
}

std::string MappedFile::version() const {
  if (!file_) return {};
  std::string text;
  for (const std::uint64_t part : {stamp_.device, stamp_.inode, stamp_.size}) {
    text += std::to_string(part) + "/";
  }
  return text + std::to_string(stamp_.seconds) + "." + std::to_string(stamp_.nanoseconds);
}

tl::unexpected<Error> MappedFile::Changed(const std::string& what) const {
  return Fail(ErrorCode::kUnavailable, "the file " + Quoted(path_.string(), 1000) +
                                           " changed while it was read: it " + what +
                                           "; run the command again when the file is complete");
}

Result<void> MappedFile::CheckContent() const {
  if (!file_) return {};
  CBOARD_ASSIGN_OR_RETURN(const Stamp now, ReadStamp());
  if (now.size != stamp_.size) {
    return Changed("had " + std::to_string(stamp_.size) + " bytes when it was opened and has " +
                   std::to_string(now.size) + " now");
  }
  if (now != stamp_) return Changed("was written to");
  if (mapping_ != nullptr && mapping_->lost_bytes()) {
    return Fail(ErrorCode::kUnavailable,
                "cannot read " + Quoted(path_.string(), 1000) +
                    ": the file changed while it was read, or the disk failed; run the command "
                    "again when the file is complete");
  }
  return {};
}

Result<void> MappedFile::CheckUnchanged() const {
  if (!file_) return {};
  struct stat status = {};
  const bool has_name = ::stat(path_.c_str(), &status) == 0;
  CBOARD_RETURN_IF_ERROR(CheckContent());
  if (has_name && StampOf(status) != stamp_) return Changed("was replaced by another file");
  return {};
}

}  // namespace cboard::model
