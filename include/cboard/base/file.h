// Files by descriptor: whole reads, whole writes, and errors that name the path.
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

// Where bytes go: a file, a buffer, or a fake that fails on purpose.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  // Takes all of `bytes`, or fails after taking some of them.
  virtual Result<void> Write(ByteSpan bytes) = 0;
};

// Owns an open file. Movable; the destructor closes it. Not thread-safe, except that ReadAt may
// be called from many threads at once.
class File final : public ByteSink {
 public:
  // Fails with kNotFound or kPermissionDenied.
  static Result<File> OpenForReading(const std::filesystem::path& path);

  // Creates a new file, for reading and writing; fails with kAlreadyExists rather than touching
  // one that is there.
  static Result<File> CreateNew(const std::filesystem::path& path);

  // Creates the file, or empties the one that is there.
  static Result<File> Create(const std::filesystem::path& path);

  // Creates a file beside `path`, under a name of its own, that is to be renamed to it once it is
  // whole. Errors name `path`: nobody asked for the other one.
  static Result<File> CreateTemporarySibling(const std::filesystem::path& path);

  // Opens for appending, creating the file when it is missing.
  static Result<File> OpenForAppending(const std::filesystem::path& path);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File() override;

  Result<void> Write(ByteSpan bytes) override;

  // Writes as much as the system takes before it fails. `written` is set in either case, so that
  // a caller can go on with the rest when there is room again.
  Result<void> WriteSome(ByteSpan bytes, std::size_t& written);

  // Reads up to `buffer.size()` bytes at `offset`; fewer only at the end of the file.
  Result<std::size_t> ReadAt(std::uint64_t offset, MutableByteSpan buffer) const;

  Result<std::uint64_t> Size() const;

  // False once the last name of the file has been removed: what is written then vanishes with
  // the descriptor.
  bool HasName() const;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }

 private:
  File(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}

  // Errors name `named`.
  static Result<File> Open(const std::filesystem::path& path, int flags,
                           const std::filesystem::path& named);

  int descriptor_ = -1;
  std::filesystem::path path_;
};

// The whole file. Fails with kResourceExhausted when it is larger than `max_bytes`.
Result<std::string> ReadFile(const std::filesystem::path& path,
                             std::uint64_t max_bytes = std::uint64_t{4} << 30);

// Replaces the file by `content` in one step: a reader sees the old file or the new one.
Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view content);

// Creates `path` and its parents; a directory that exists is fine.
Result<void> CreateDirectories(const std::filesystem::path& path);

}  // namespace cboard
