#include "cli/read_logs.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "cboard/base/strings.h"
#include "cli/bucket_logs.h"
#include "cli/progress.h"

namespace cboard::cli {

void AddEndpointFlag(CLI::App& app, const std::string& group) {
  app.add_option_function<std::string>(
         "--s3-endpoint",
         [](const std::string& url) {
           ::setenv("AWS_ENDPOINT_URL_S3", url.c_str(), 1);
           ::setenv("GS_ENDPOINT_URL", url.c_str(), 1);
         },
         "Address of the S3-compatible store (default: Amazon's, or\n$AWS_ENDPOINT_URL)")
      ->type_name("URL")
      ->group(group);
}

void LogdirFlags::AddTo(CLI::App& app, const std::string& group) {
  CLI::Option* option = app.add_option("--logdir", logdir,
                                       "Log directory, or s3://BUCKET/PREFIX; several log "
                                       "directories\n(A,B) or a glob pattern are possible")
                            ->type_name("DIR")
                            ->group(group);
  app.add_option("--logdir_spec", logdir_spec, "Several named log directories: NAME:DIR,NAME:DIR")
      ->type_name("SPEC")
      ->group(group)
      ->excludes(option);
  AddEndpointFlag(app, group);
  app.add_option("--bucket-cache-gb", bucket_cache_gb,
                 "Maximum size of the local copy of a bucket, in gigabytes\n(default 50)")
      ->type_name("N")
      ->check(CLI::Range(0.001, 1e6))
      ->group(group);
}

Result<std::vector<reader::Logdir>> LogdirFlags::Parse() const {
  return logdir.empty() ? reader::ParseLogdirSpec(logdir_spec) : reader::ParseLogdir(logdir);
}

Result<std::shared_ptr<const reader::Snapshot>> ReadLogs(const LogdirFlags& flags) {
  reader::ReaderOptions options;
  CBOARD_ASSIGN_OR_RETURN(options.logdirs, flags.Parse());
  CBOARD_ASSIGN_OR_RETURN(BucketLogs buckets, BucketLogs::Open(flags, options.logdirs));
  CBOARD_RETURN_IF_ERROR(buckets.Update());
  Progress progress("reading events", std::cerr, IsTerminal(STDERR_FILENO));
  CBOARD_ASSIGN_OR_RETURN(
      std::shared_ptr<const reader::Snapshot> snapshot,
      reader::ReadLogdirs(std::move(options), [&](const reader::LoadProgress& load) {
        progress.Update(load.done_bytes, load.total_bytes);
      }));
  if (!snapshot->runs.empty()) return snapshot;
  if (!snapshot->unreadable.empty()) return Fail(snapshot->unreadable.front());
  return Fail(ErrorCode::kNotFound,
              "there are no event files below " + Quoted(flags.text(), 1000) +
                  "; choose the directory that your training or 'compression-board import' wrote "
                  "to");
}

bool IsComplete(const reader::Snapshot& snapshot) {
  return snapshot.unreadable.empty() &&
         std::ranges::all_of(snapshot.runs, [](const std::shared_ptr<const reader::Run>& run) {
           return std::ranges::none_of(run->files,
                                       [](const auto& file) { return file->error.has_value(); });
         });
}

}  // namespace cboard::cli
