// A lock on a file. The system releases it when the process ends.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "cboard/base/result.h"

namespace cboard {

// A lock that is held. It is released when this object is destroyed or the process ends. If a
// forked child process holds it too, it stays locked until the child releases it.
class FileLock {
 public:
  // Tries to lock the file; creates the file if it does not exist. Returns nullopt if another
  // process, or another FileLock of this process, holds the lock.
  static Result<std::optional<FileLock>> TryTake(const std::filesystem::path& path);

  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard
