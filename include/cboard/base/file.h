// Reads and writes files by descriptor. A read or write is complete or fails; errors name the path.
//
//   CBOARD_ASSIGN_OR_RETURN(File file, File::Create(path));
//   CBOARD_RETURN_IF_ERROR(file.Write(AsBytes("hello")));
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"

namespace cboard {

// Destination of bytes: a file, a buffer or, in tests, an object that fails on purpose.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  // Writes all of `bytes`. After a failure, some of the bytes may have been written.
  virtual Result<void> Write(ByteSpan bytes) = 0;
};

// Owns an open file. Movable; the destructor closes it. Not thread-safe, except that ReadAt may
// be called from many threads at once.
class File final : public ByteSink {
 public:
  // Opens a file for reading. Fails with kNotFound or kPermissionDenied.
  static Result<File> OpenForReading(const std::filesystem::path& path);

  // Creates a new file at `path` for reading and writing. Fails with kAlreadyExists if the file
  // exists.
  static Result<File> CreateNew(const std::filesystem::path& path);

  // Creates the file at `path`. If it exists, its content is deleted.
  static Result<File> Create(const std::filesystem::path& path);

  // Creates a temporary file with a unique name in the directory of `path`; the caller renames it
  // to `path` when it is complete. Errors name `path`, because users do not know the temporary
  // name.
  static Result<File> CreateTemporarySibling(const std::filesystem::path& path);

  // Opens a file for appending. Creates it if it does not exist.
  static Result<File> OpenForAppending(const std::filesystem::path& path);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File() override;

  Result<void> Write(ByteSpan bytes) override;

  // Writes `bytes` until all are written or the system fails. `written` is the number of written
  // bytes, also after a failure, so that the caller can write the rest later.
  Result<void> WriteSome(ByteSpan bytes, std::size_t& written);

  // Reads up to `buffer.size()` bytes at `offset`. Reads fewer bytes only at the end of the file.
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) const;

  Result<std::uint64_t> Size() const;

  // True if the file still has a name in the file system. If it has none, all its data is lost when
  // the descriptor is closed.
  bool HasName() const;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }

 private:
  File(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}

  // Opens a file. Error messages contain `named`, the path that the user knows, instead of `path`.
  static Result<File> Open(const std::filesystem::path& path, int flags,
                           const std::filesystem::path& named);

  int descriptor_ = -1;
  std::filesystem::path path_;
};

// Reads the whole file. Fails with kResourceExhausted if it is larger than `max_bytes`.
Result<std::string> ReadFile(const std::filesystem::path& path,
                             std::uint64_t max_bytes = std::uint64_t{4} << 30);

// Replaces the file by `content` in one step: a reader sees either the old or the new content.
Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

// Creates `path` and its parents. Succeeds if the directory already exists.
Result<void> CreateDirectories(const std::filesystem::path& path);

}  // namespace cboard
