// Removes caches of indexes that were not used for a long time: their log directories may not exist
// any more.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace cboard::reader {

struct CacheLimits {
  // Maximum time since the last use of a cache.
  std::chrono::hours max_age = std::chrono::hours(24 * 30);
  // Maximum size of all caches together. The newest caches are kept.
  std::uint64_t max_bytes = std::uint64_t{2} << 30;
};

// Marks a cache as used by setting its modification time, because access times are often disabled.
void MarkUsed(const std::filesystem::path& cache);

// Removes caches that exceed the limits from the directory of `cache`, but never `cache` itself.
// Also removes incomplete files of programs that were killed. Does not remove other files. If a
// server's cache is removed, the server continues to use its open file, and writes a new cache when
// its logs change. Several servers may clean the same directory at the same time.
void RemoveOldCaches(const std::filesystem::path& cache, const CacheLimits& limits = {});

}  // namespace cboard::reader
