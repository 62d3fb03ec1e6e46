// Log directories that are in buckets.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/object_store/bucket_copy.h"
#include "cboard/reader/log_reader.h"
#include "cli/read_logs.h"

namespace cboard::cli {

// Buckets among log directories, as local copies that the reader can read.
class BucketLogs {
 public:
  // Replaces the addresses of buckets in `logdirs` by the folders of their copies. Without any,
  // does nothing. Fails when an address is wrong, or a copy cannot be kept.
  static Result<BucketLogs> Open(const LogdirFlags& flags, std::vector<reader::Logdir>& logdirs);

  // Updates all copies, with progress on standard error.
  Result<void> Update();

  // Keeps the copies up to date in the background, more often while `is_watched` returns true.
  void Follow(const std::function<bool()>& is_watched);

  struct Bucket {
    std::string address;
    std::unique_ptr<object_store::BucketCopy> copy;
  };
  const std::vector<Bucket>& buckets() const { return buckets_; }

  // Requests and bytes, for /metrics.
  void AppendMetrics(std::string& text) const;

 private:
  std::vector<Bucket> buckets_;
};

}  // namespace cboard::cli
