// A lock on a file. The system releases it when the process ends.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "cboard/base/result.h"

namespace cboard {

// A held lock. It is released when the object or the process ends, but not while forked children
// hold it too.
class FileLock {
 public:
  // Tries to lock the file; creates the file if needed. nullopt if another process, or another
  // object, holds the lock.
  static Result<std::optional<FileLock>> TryTake(const std::filesystem::path& path);

  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard
