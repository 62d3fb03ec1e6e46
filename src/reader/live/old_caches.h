// Removes indexes that were not used for long: log directories disappear, and their indexes would
// stay.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace cboard::reader {

struct CacheLimits {
  std::chrono::hours max_age = std::chrono::hours(24 * 30);  // Since an index was used.
  std::uint64_t max_bytes = std::uint64_t{2} << 30;  // Limit for all caches; the newest ones stay.
};

// Marks a cache as used by its modification time: access times are often disabled.
void MarkUsed(const std::filesystem::path& cache);

// Removes indexes beyond the limits from the directory of `cache`, which stays in any case, and
// what a program that was killed has left half written. Files of other names are left alone.
// Servers that use an index which is removed keep what they have mapped, and write it again when it
// has changed; several may clean one directory at once.
void RemoveOldCaches(const std::filesystem::path& cache, const CacheLimits& limits = {});

}  // namespace cboard::reader
