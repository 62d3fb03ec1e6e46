// The state of the remote places that logs are copied from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cboard::server {

// The state of a place that logs are copied from, such as a bucket.
struct LogSource {
  std::string address;                    // "s3://team/runs"
  bool is_loaded = false;                 // It was listed at least once.
  std::string error = {};                 // Error of the last attempt; empty if it succeeded.
  std::optional<double> last_read = {};   // Time of the last success, seconds since 1970.
  std::uint64_t files = 0, bytes = 0;     // Copied so far.
  std::vector<std::string> skipped = {};  // Files that were not copied, with the reason.
};

}  // namespace cboard::server
