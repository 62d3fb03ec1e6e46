// Reads log directories that are in buckets.
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

// The local copies of those log directories that are in buckets. The reader reads these copies.
class BucketLogs {
 public:
  // Replaces bucket addresses in `logdirs` by the directories of their local copies. Does nothing
  // if there are none. Fails if an address is wrong or a copy cannot be stored.
  static Result<BucketLogs> Open(const LogdirFlags& flags, std::vector<reader::Logdir>& logdirs);

  // Updates all copies and shows progress on standard error.
  Result<void> Update();

  // Updates the copies in the background, more often while `is_watched` returns true.
  void Follow(const std::function<bool()>& is_watched);

  struct Bucket {
    std::string address;
    std::unique_ptr<object_store::BucketCopy> copy;
  };
  const std::vector<Bucket>& buckets() const { return buckets_; }

  // Appends counters of requests and bytes for /metrics.
  void AppendMetrics(std::string& text) const;

 private:
  std::vector<Bucket> buckets_;
};

}  // namespace cboard::cli
