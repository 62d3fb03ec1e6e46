#include "cboard/reader/log_reader.h"

#include <cstdlib>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "reader/index/file_index.h"
#include "reader/live/live_reader.h"
#include "reader/live/merge_run.h"
#include "reader/live/worker_pool.h"

namespace cboard::reader {

std::filesystem::path DefaultCacheDirectory() {
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  // The XDG specification says that relative paths must be ignored.
  if (const auto cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "compression-board";
  }
  if (const auto home = variable("HOME"); home.is_absolute()) {
    return home / ".cache" / "compression-board";
  }
  return {};
}

Result<std::unique_ptr<LogReader>> LogReader::Open(ReaderOptions options) {
  if (options.logdirs.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "no log directory is given; give at least one");
  }
  for (const Logdir& logdir : options.logdirs) {
    if (logdir.path.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the path of a log directory is empty; give its path");
    }
  }
  CBOARD_ASSIGN_OR_RETURN(std::unique_ptr<WakeUp> wake_up, WakeUp::Create());
  return std::make_unique<LiveReader>(std::move(options), std::move(wake_up));
}

Result<std::shared_ptr<const Snapshot>> ReadLogdirs(
    ReaderOptions options, const std::function<void(const LoadProgress&)>& on_progress) {
  options.follow = false;
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<LogReader> reader,
                          LogReader::Open(std::move(options)));
  while (true) {
    std::shared_ptr<const Snapshot> snapshot = reader->snapshot();
    if (on_progress) on_progress(snapshot->progress);
    if (snapshot->progress.complete) return snapshot;
    reader->WaitForChange(snapshot->version, std::chrono::milliseconds(1000));
  }
}

Result<std::shared_ptr<const Snapshot>> ReadEventFile(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(const File file, File::OpenForReading(path));
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the path " + Quoted(path.native(), 1000) + " is a directory, not an event file");
  }
  WorkerPool pool(0);
  FileIndex index(path);
  index.ContinueReading(file, {.workers = &pool});
  const std::vector<std::shared_ptr<const FileView>> views = {index.View()};
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->version = 1;
  snapshot->runs.push_back(MergeRun(".", path.parent_path(), views, {.version = 1}));
  LoadProgress& progress = snapshot->progress;
  progress.done_bytes = progress.total_bytes = views[0]->file.size_bytes;
  progress.done_runs = progress.total_runs = 1;
  progress.complete = true;
  return snapshot;
}

}  // namespace cboard::reader
