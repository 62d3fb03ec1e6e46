#include "model/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>

#include "cboard/base/strings.h"

namespace cboard {

Result<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::filesystem::path& path) {
  const std::string shown = Quoted(path.string(), 1000);
  // Asked before opening, because opening a pipe waits for its other end.
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Fail(ErrorCode::kInvalidArgument, shown + " is not a regular file");
  }
  CBOARD_ASSIGN_OR_RETURN(File file, File::OpenForReading(path));
  CBOARD_ASSIGN_OR_RETURN(const std::uint64_t size, file.Size());
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    return Fail(ErrorCode::kResourceExhausted, shown + " does not fit into memory's addresses");
  }
  std::shared_ptr<MappedFile> mapped(new MappedFile);
  mapped->path_ = path;
  if (size > 0) {
    void* const address = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE,
                                 file.descriptor(), 0);
    if (address == MAP_FAILED) return Fail(ErrnoError(errno, "cannot map " + shown));
    mapped->bytes_ = {static_cast<const std::byte*>(address), static_cast<std::size_t>(size)};
  }
  mapped->file_ = std::move(file);
  return mapped;
}

std::shared_ptr<const MappedFile> MappedFile::FromMemory(std::string bytes,
                                                         std::filesystem::path path) {
  std::shared_ptr<MappedFile> mapped(new MappedFile);
  mapped->path_ = std::move(path);
  mapped->memory_ = std::move(bytes);
  mapped->bytes_ = AsBytes(mapped->memory_);
  return mapped;
}

MappedFile::~MappedFile() {
  if (file_ && !bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: munmap's signature.
  }
}

Result<void> MappedFile::CheckSize() const {
  if (!file_) return {};
  CBOARD_ASSIGN_OR_RETURN(const std::uint64_t size, file_->Size());
  if (size < bytes_.size()) {
    return Fail(ErrorCode::kDataLoss, Quoted(path_.string(), 1000) + " had " +
                                          std::to_string(bytes_.size()) +
                                          " bytes when it was opened and has " +
                                          std::to_string(size) + " now; open it again");
  }
  return {};
}

}  // namespace cboard
