#include "cli/bucket_logs.h"

#include <unistd.h>

#include <iostream>

#include "cli/progress.h"
#include "cli/reports/text_table.h"
#include "server/http/prometheus_text.h"

namespace cboard::cli {

Result<BucketLogs> BucketLogs::Open(const LogdirFlags& flags,
                                    std::vector<reader::Logdir>& logdirs) {
  BucketLogs logs;
  for (reader::Logdir& logdir : logdirs) {
    if (!object_store::IsObjectUrl(logdir.path.native())) continue;
    CBOARD_ASSIGN_OR_RETURN(const object_store::ObjectUrl url,
                            object_store::ParseObjectUrl(logdir.path.native()));
    CBOARD_ASSIGN_OR_RETURN(auto store, object_store::ObjectStore::Open(
                                            url, object_store::StoreOptions::FromEnvironment(url)));
    const std::filesystem::path cache = reader::DefaultCacheDirectory();
    if (cache.empty()) {
      return Fail(ErrorCode::kFailedPrecondition, "there is no directory for the local copy of " +
                                                      url.text() + "; set XDG_CACHE_HOME");
    }
    object_store::CopyOptions copy_options{.cache_directory = cache / "buckets"};
    copy_options.max_bytes = static_cast<std::uint64_t>(flags.bucket_cache_gb * 1e9);
    CBOARD_ASSIGN_OR_RETURN(
        auto copy, object_store::BucketCopy::Open(url, std::move(store), std::move(copy_options)));
    logdir.path = copy->directory();
    logs.buckets_.push_back({url.text(), std::move(copy)});
  }
  return logs;
}

Result<void> BucketLogs::Update() {
  for (const Bucket& bucket : buckets_) {
    Progress progress("fetching " + bucket.address, std::cerr, IsTerminal(STDERR_FILENO));
    CBOARD_RETURN_IF_ERROR(bucket.copy->Update(
        [&](std::uint64_t done, std::uint64_t total) { progress.Update(done, total); }));
    for (const std::string& skipped : bucket.copy->status().skipped) {
      std::cerr << "compression-board: not read: " << Printable(skipped) << std::endl;
    }
  }
  return {};
}

void BucketLogs::Follow(const std::function<bool()>& is_watched) {
  for (const Bucket& bucket : buckets_) bucket.copy->Follow(is_watched);
}

void BucketLogs::AppendMetrics(std::string& text) const {
  if (buckets_.empty()) return;
  object_store::StoreStatistics sum;
  for (const Bucket& bucket : buckets_) {
    const object_store::StoreStatistics one = bucket.copy->statistics();
    sum.lists += one.lists;
    sum.gets += one.gets;
    sum.repeated += one.repeated;
    sum.bytes_read += one.bytes_read;
  }
  const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    server::AppendMetric(text, "cboard_bucket_" + std::string(name), "counter", help, value);
  };
  counter("list_requests_total", "LIST requests to object stores.", sum.lists);
  counter("get_requests_total", "GET requests to object stores.", sum.gets);
  counter("repeated_requests_total", "Requests that were sent again after a failure.",
          sum.repeated);
  counter("read_bytes_total", "Bytes of objects that were fetched.", sum.bytes_read);
}

}  // namespace cboard::cli
