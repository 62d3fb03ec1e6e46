#include "server/log_store.h"

#include <algorithm>

#include "cboard/base/strings.h"

namespace cboard {
namespace {

namespace fs = std::filesystem;

// Names, sizes and times of the files. Writers append, so a change shows in the size.
std::string Fingerprint(const RunFiles& run) {
  std::string text;
  for (const fs::path& file : run.files) {
    std::error_code ignored;
    text += file.native() + '\0' + std::to_string(fs::file_size(file, ignored)) + '\0' +
            std::to_string(fs::last_write_time(file, ignored).time_since_epoch().count()) + '\0';
  }
  return text;
}

}  // namespace

Result<const RunLog*> LogSnapshot::FindRun(std::string_view name) const {
  const auto found = std::ranges::find_if(
      runs, [&](const std::shared_ptr<const RunLog>& run) { return run->scan.name == name; });
  if (found == runs.end()) {
    return Fail(ErrorCode::kNotFound, "there is no run " + Quoted(name, 300));
  }
  return found->get();
}

Result<const TagScan*> LogSnapshot::FindScalars(std::string_view run, std::string_view tag) const {
  CBOARD_ASSIGN_OR_RETURN(const RunLog* const log, FindRun(run));
  const auto found = log->scan.tags.find(std::string(tag));
  if (found == log->scan.tags.end() || found->second.kind != TagKind::kScalar) {
    return Fail(ErrorCode::kNotFound,
                "run " + Quoted(run, 300) + " has no scalar " + Quoted(tag, 300));
  }
  return &found->second;
}

LogStore::LogStore(fs::path logdir, std::chrono::milliseconds reload_interval)
    : logdir_(std::move(logdir)),
      reload_interval_(reload_interval),
      thread_([this](std::stop_token stop) { ReloadUntil(std::move(stop)); }) {}

std::shared_ptr<const LogSnapshot> LogStore::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

bool LogStore::WaitForFirstLoad(std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return snapshot_->generation > 0; });
}

void LogStore::ReloadUntil(std::stop_token stop) {
  do {
    Reload(stop);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, reload_interval_, [] { return false; });
  } while (!stop.stop_requested() && reload_interval_.count() > 0);
}

void LogStore::Reload(const std::stop_token& stop) {
  LogSnapshot next;
  std::map<std::string, Known> known;
  const Result<std::vector<RunFiles>> found = FindRuns(logdir_, next.unreadable);
  if (!found) next.error = found.error();
  bool changed = false;
  for (const RunFiles& run : found.value_or(std::vector<RunFiles>())) {
    if (stop.stop_requested()) return;
    Known entry{.fingerprint = Fingerprint(run), .log = nullptr};
    const auto before = known_.find(run.name);
    if (before != known_.end() && before->second.fingerprint == entry.fingerprint) {
      entry.log = before->second.log;
    } else {
      auto log = std::make_shared<RunLog>();
      log->scan = ScanRun(run, {.keep_points = true});
      log->labels = LabelsOfRun(log->scan);
      entry.log = std::move(log);
      changed = true;
    }
    next.runs.push_back(entry.log);
    known.insert_or_assign(run.name, std::move(entry));
  }
  changed = changed || known.size() != known_.size();
  known_ = std::move(known);

  const std::shared_ptr<const LogSnapshot> last = snapshot();
  if (!changed && last->generation > 0 && last->error == next.error &&
      last->unreadable == next.unreadable) {
    return;
  }
  next.comparison = BuildComparison(next.runs);
  next.generation = last->generation + 1;
  Publish(std::move(next));
}

void LogStore::Publish(LogSnapshot snapshot) {
  auto shared = std::make_shared<const LogSnapshot>(std::move(snapshot));
  {
    const std::lock_guard lock(mutex_);
    snapshot_.swap(shared);
  }
  changed_.notify_all();
}

}  // namespace cboard
