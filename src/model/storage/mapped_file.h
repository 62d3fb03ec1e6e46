// A file as memory, so that a model of many gigabytes is read only where somebody looks.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
//   … read file->bytes() …
//   CBOARD_RETURN_IF_ERROR(file->CheckUnchanged());
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded_mapping.h"
#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard::model {

// Safe to share between threads. The bytes live as long as the object.
//
// Another program may save the file again meanwhile. Reading then still gives bytes, never a fault
// (see base/guarded_mapping.h), but they may be a mixture of both versions or zeros: use a result
// only after CheckUnchanged.
class MappedFile {
 public:
  // Fails with kNotFound or kPermissionDenied, and with kInvalidArgument if it is not a regular
  // file, for example a directory or a pipe. Waits up to kStampSeconds if the file was just
  // written.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::filesystem::path& path);

  // Bytes that are in memory already, under the name `path`.
  static std::shared_ptr<const MappedFile> FromMemory(std::string bytes,
                                                      std::filesystem::path path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() = default;

  ByteSpan bytes() const { return bytes_; }
  std::string_view text() const { return AsText(bytes_); }
  const std::filesystem::path& path() const { return path_; }

  // Fails with kUnavailable when the file has been written to, shortened or replaced since it was
  // opened, or could not be read from the disk. A file that was deleted is complete in memory.
  Result<void> CheckUnchanged() const;

  // A faster CheckUnchanged, with one system call: does not notice that another file has taken the
  // name.
  Result<void> CheckContent() const;

  // Gives the memory of a mapped file back to the system; bytes are read from the file again.
  void ReleasePages() const;

  // Differs between versions of the file: its place, size and time. Empty for memory.
  std::string version() const;

  // Smaller files are copied: that is as fast as mapping them.
  static constexpr std::size_t kMaxCopiedBytes = std::size_t{64} << 10;

  // File systems give two writes the same time when they are closer than a tick of the kernel, at
  // most 10 ms. A file is therefore opened only when its last write is this old.
  static constexpr double kStampSeconds = 0.02;

 private:
  // Changes with every write to the file, and when another file takes its place.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  MappedFile() = default;

  static Stamp StampOf(const struct stat& status);
  Result<Stamp> ReadStamp() const;
  Result<void> ReadAll();
  tl::unexpected<Error> Changed(const std::string& what) const;

  std::filesystem::path path_;
  ByteSpan bytes_;
  std::optional<File> file_;  // Kept open to see when it changes; none for memory.
  Stamp stamp_;
  std::unique_ptr<const GuardedMapping> mapping_;  // None when the file was copied.
  std::string memory_;
};

}  // namespace cboard::model
