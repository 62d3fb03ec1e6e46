#include "reader/live/old_caches.h"

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

namespace cboard::reader {
namespace {

namespace fs = std::filesystem;

// Age above which a temporary file is deleted. Writing a cache takes seconds, and every write
// updates the modification time.
constexpr std::chrono::hours kMaxAgeUnfinished(24);

struct KeptIndex {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

}  // namespace

void MarkUsed(const fs::path& cache) {
  std::error_code ignored;
  fs::last_write_time(cache, fs::file_time_type::clock::now(), ignored);
}

void RemoveOldCaches(const fs::path& cache, const CacheLimits& limits) {
  const auto now = fs::file_time_type::clock::now();
  std::vector<KeptIndex> kept;
  std::error_code error, ignored;
  for (fs::directory_iterator i(cache.parent_path(), error), end; !error && i != end;
       i.increment(error)) {
    const fs::path& path = i->path();
    const std::string name = path.filename();
    if (!name.starts_with("index-")) continue;
    // Another server may have removed or replaced the file in the meantime.
    std::error_code gone;
    const KeptIndex index{path, i->last_write_time(gone), i->file_size(gone)};
    if (gone) continue;
    const bool is_unfinished = name.find(".tmp") != std::string::npos;
    if (now - index.used > (is_unfinished ? kMaxAgeUnfinished : limits.max_age) && path != cache) {
      fs::remove(path, ignored);
    } else if (!is_unfinished) {
      kept.push_back(index);
    }
  }
  std::ranges::sort(kept, std::greater<>(), &KeptIndex::used);
  std::uint64_t bytes = 0;
  for (const KeptIndex& index : kept) {
    bytes += index.bytes;
    if (bytes > limits.max_bytes && index.path != cache) fs::remove(index.path, ignored);
  }
}

}  // namespace cboard::reader
