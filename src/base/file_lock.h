// A lock on a file, which ends with the process.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "cboard/base/result.h"

namespace cboard {

// Held until the object or the process ends, and by children of a fork() meanwhile.
class FileLock {
 public:
  // Creates the file if needed. Nothing if another process, or another object, holds the lock.
  static Result<std::optional<FileLock>> TryTake(const std::filesystem::path& path);

  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard
