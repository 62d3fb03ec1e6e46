// Places that logs are copied from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cboard::server {

// The state of a place that logs are copied from, such as a bucket.
struct LogSource {
  std::string address;                    // "s3://team/runs"
  bool is_loaded = false;                 // It was asked at least once.
  std::string error = {};                 // Why it could not be read the last time; else empty.
  std::optional<double> last_read = {};   // When it was read without an error, seconds since 1970.
  std::uint64_t files = 0, bytes = 0;     // Copied so far.
  std::vector<std::string> skipped = {};  // Files that were not copied, and why.
};

}  // namespace cboard::server
