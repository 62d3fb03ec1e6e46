// Removes caches of indexes that were not used for a long time, because their log directories may
// not exist any more.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace cboard::reader {

struct CacheLimits {
  // Max time since a cache was last used.
  std::chrono::hours max_age = std::chrono::hours(24 * 30);
  // Max size of all caches together; the newest ones are kept.
  std::uint64_t max_bytes = std::uint64_t{2} << 30;
};

// Marks a cache as used by setting its modification time, because access times are often disabled.
void MarkUsed(const std::filesystem::path& cache);

// Removes caches beyond the limits from the directory of `cache`, but not `cache` itself. Also
// removes incomplete files of programs that were killed. Other files are left alone. A server whose
// cache is removed continues with its open file, and writes a new cache when its logs change.
// Several servers may clean one directory at once.
void RemoveOldCaches(const std::filesystem::path& cache, const CacheLimits& limits = {});

}  // namespace cboard::reader
