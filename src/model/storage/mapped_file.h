// A file that is mapped into memory. Only the parts of a large model that are accessed are read.
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

// A mapped file. Threads may share it. The bytes are valid as long as the object.
//
// Another program may overwrite the file meanwhile. Reading then never faults (see
// base/guarded_mapping.h), but the bytes may be a mixture of both versions, or zeros. Use a result
// only after CheckUnchanged.
class MappedFile {
 public:
  // Maps a file into memory. Fails with kNotFound or kPermissionDenied, and with kInvalidArgument
  // if it is not a regular file, for example a directory or a pipe. If the file was written a short
  // time ago, waits up to kStampSeconds.
  static Result<std::shared_ptr<const MappedFile>> Open(const std::filesystem::path& path);

  // Creates a file object for bytes that are already in memory, with the name `path`.
  static std::shared_ptr<const MappedFile> FromMemory(std::string bytes,
                                                      std::filesystem::path path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() = default;

  ByteSpan bytes() const { return bytes_; }
  std::string_view text() const { return AsText(bytes_); }
  const std::filesystem::path& path() const { return path_; }

  // Checks that the file has not changed. Fails with kUnavailable if the file was written,
  // truncated or replaced since it was opened, or could not be read from the disk. The content of a
  // deleted file stays readable.
  Result<void> CheckUnchanged() const;

  // Does the same as CheckUnchanged with one system call, which is faster. It does not notice that
  // the path now belongs to another file.
  Result<void> CheckContent() const;

  // Returns the memory of a mapped file to the system. If the bytes are accessed later, they are
  // read from the file again.
  void ReleasePages() const;

  // Returns a text that identifies the version of the file: its inode, size and time. Empty if the
  // bytes are in memory.
  std::string version() const;

  // Maximum size of a file that is copied instead of mapped. For small files, copying is as fast.
  static constexpr std::size_t kMaxCopiedBytes = std::size_t{64} << 10;

  // Minimum age of the last write when a file is opened. File systems give two writes the same time
  // if there is less than a tick of the kernel between them, which is at most 10 ms.
  static constexpr double kStampSeconds = 0.02;

 private:
  // The state of a file on the disk. It changes with every write to the file, and when another file
  // replaces it.
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
  std::optional<File> file_;  // Kept open to detect changes; not set for memory.
  Stamp stamp_;
  std::unique_ptr<const GuardedMapping> mapping_;  // Null if the file was copied.
  std::string memory_;
};

}  // namespace cboard::model
