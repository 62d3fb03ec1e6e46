#include "server/annotations/annotation_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "cboard/base/clock.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::server {
namespace {

namespace fs = std::filesystem;

fs::path AnnotationPath(const reader::Logdir& logdir) { return logdir.path / kAnnotationFileName; }

// Returns no annotations if the file is missing.
Result<Annotations> ReadAnnotations(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return Annotations();
  // Refuses anything but a regular file: opening a pipe would block.
  if (status.type() != fs::file_type::regular) {
    return Fail(ErrorCode::kFailedPrecondition, "cannot read " + Quoted(path.string()) +
                                                    ": not a regular file; remove or rename it");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxAnnotationFileBytes));
  Result<Annotations> parsed = ParseAnnotations(text);
  if (parsed) return parsed;
  return Fail(ErrorCode::kFailedPrecondition, "cannot read " + Quoted(path.string()) + ": " +
                                                  parsed.error().message +
                                                  "; correct the file, or rename it");
}

// An exclusive lock on a directory, released by the destructor. File systems without locks grant it
// immediately.
class DirectoryLock {
 public:
  static Result<DirectoryLock> Take(const fs::path& directory) {
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return Fail(ErrnoError(errno, "open " + Quoted(directory.string())));
    DirectoryLock lock(descriptor);
    constexpr int kTries = 200;
    for (int i = 0; i < kTries; ++i) {
      if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return lock;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return Fail(
        ErrorCode::kUnavailable,
        "another program has locked " + Quoted(directory.string()) + " for 2 seconds; try again");
  }
  DirectoryLock(DirectoryLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock() {
    if (descriptor_ >= 0) ::close(descriptor_);  // Releases the lock.
  }

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// Sets the time of each change: the current time, or, if this is later, the time just after that of
// the replaced value. The change then also replaces a value from a machine whose clock is ahead.
void Stamp(AnnotationsByName& changes, const AnnotationsByName& present) {
  const auto now = static_cast<std::int64_t>(WallTimeSeconds() * 1000);
  for (auto& [name, fields] : changes) {
    const auto entry = present.find(name);
    for (auto& [field, value] : fields) {
      value.time_ms = now;
      if (entry == present.end()) continue;
      const auto before = entry->second.find(field);
      if (before != entry->second.end()) {
        value.time_ms = std::max(now, before->second.time_ms + 1);
      }
    }
  }
}

AnnotationFields FieldsOf(const FieldChanges& changes) {
  AnnotationFields fields;
  for (const auto& [name, json] : changes) fields[name] = {json, 0};
  return fields;
}

// Returns the run's name within its log directory: "train/a" for "baseline/train/a" in the log
// directory named "baseline".
std::string NameInLogdir(const reader::Logdir& logdir, std::string_view run) {
  return std::string(logdir.name.empty() ? run : run.substr(logdir.name.size() + 1));
}

// Returns true if `path` is inside `directory` after links are resolved.
bool IsBelow(const fs::path& path, const fs::path& directory) {
  std::error_code error;
  const fs::path inner = fs::canonical(path, error);
  if (error) return false;
  const fs::path outer = fs::canonical(directory, error);
  if (error) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

AnnotationStore::AnnotationStore(std::vector<reader::Logdir> logdirs, std::string read_only_reason)
    : logdirs_(std::move(logdirs)), read_only_reason_(std::move(read_only_reason)) {}

AnnotationStore::Content AnnotationStore::Read() const {
  Content content;
  for (const reader::Logdir& logdir : logdirs_) {
    Result<Annotations> read = ReadAnnotations(AnnotationPath(logdir));
    if (!read) {
      content.problems.push_back(std::move(read.error().message));
      continue;
    }
    if (!logdir.name.empty()) {
      AnnotationsByName named;
      for (auto& [run, fields] : read->runs) named[logdir.name + "/" + run] = std::move(fields);
      read->runs = std::move(named);
    }
    Merge(content.annotations, *read);
  }
  return content;
}

std::string AnnotationStore::WhyReadOnly() const {
  if (!read_only_reason_.empty()) return read_only_reason_;
  for (const reader::Logdir& logdir : logdirs_) {
    if (::access(logdir.path.c_str(), W_OK | X_OK) != 0) {
      return ErrnoError(errno, "write to " + Quoted(logdir.path.string())).message;
    }
  }
  return {};
}

Result<void> AnnotationStore::CheckWritable() const {
  if (const std::string reason = WhyReadOnly(); !reason.empty()) {
    return Fail(ErrorCode::kPermissionDenied,
                "annotations cannot be stored in the log directory: " + reason);
  }
  return {};
}

std::size_t AnnotationStore::LogdirOf(std::string_view run) const {
  std::size_t best = 0;
  std::size_t best_length = 0;
  for (std::size_t i = 0; i < logdirs_.size(); ++i) {
    const std::string& name = logdirs_[i].name;
    const bool fits = name.empty() || (run.starts_with(name) && run.size() > name.size() &&
                                       run[name.size()] == '/');
    if (fits && (i == 0 || name.size() >= best_length)) {
      best = i;
      best_length = name.size();
    }
  }
  return best;
}

Result<void> AnnotationStore::Apply(std::size_t logdir, Annotations changes) const {
  const fs::path path = AnnotationPath(logdirs_[logdir]);
  CBOARD_ASSIGN_OR_RETURN(const DirectoryLock lock, DirectoryLock::Take(logdirs_[logdir].path));
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    CBOARD_ASSIGN_OR_RETURN(Annotations all, ReadAnnotations(path));
    if (i == 0) {
      Stamp(changes.runs, all.runs);
      Stamp(changes.views, all.views);
    }
    Annotations merged = all;
    Merge(merged, changes);
    // Reads the file again after writing: on file systems without locks, another server may have
    // replaced it at the same time.
    if (i > 0 && merged == all) return {};
    const std::string text = FormatAnnotations(merged);
    if (Result<Annotations> valid = ParseAnnotations(text); !valid) return Fail(valid.error());
    CBOARD_RETURN_IF_ERROR(WriteFileAtomically(path, text));
  }
  return Fail(ErrorCode::kUnavailable, "another program replaced the file again and again: " +
                                           Quoted(path.string()) + "; try again");
}

Result<void> AnnotationStore::ChangeRuns(std::span<const std::string> runs,
                                         const FieldChanges& changes) const {
  CBOARD_RETURN_IF_ERROR(CheckWritable());
  std::map<std::size_t, Annotations> by_logdir;
  for (const std::string& run : runs) {
    const std::size_t logdir = LogdirOf(run);
    by_logdir[logdir].runs[NameInLogdir(logdirs_[logdir], run)] = FieldsOf(changes);
  }
  for (auto& [logdir, annotations] : by_logdir) {
    CBOARD_RETURN_IF_ERROR(Apply(logdir, std::move(annotations)));
  }
  if (on_change_) on_change_();
  return {};
}

Result<void> AnnotationStore::ChangeView(const std::string& name,
                                         const FieldChanges& changes) const {
  CBOARD_RETURN_IF_ERROR(CheckWritable());
  Annotations annotations;
  annotations.views[name] = FieldsOf(changes);
  CBOARD_RETURN_IF_ERROR(Apply(0, std::move(annotations)));
  if (on_change_) on_change_();
  return {};
}

Result<void> AnnotationStore::DeleteRun(const reader::Run& run) const {
  CBOARD_RETURN_IF_ERROR(CheckWritable());
  const std::size_t logdir = LogdirOf(run.name);
  if (!IsBelow(run.directory, logdirs_[logdir].path)) {
    return Fail(
        ErrorCode::kPermissionDenied,
        "did not delete run " + Quoted(run.name) + ": " + Quoted(run.directory.string()) +
            " is a link to a place outside of the log directory; delete its files yourself");
  }
  for (const auto& file : run.files) {
    // Checks that each file is an event file of this directory. This prevents a wrong deletion if
    // the reader has an error.
    const bool is_event_file = file->path.parent_path() == run.directory &&
                               file->path.filename().string().find("tfevents") != std::string::npos;
    if (!is_event_file) {
      return Fail(ErrorCode::kFailedPrecondition, "did not delete " + Quoted(file->path.string()) +
                                                      ", because it is not an event file of run " +
                                                      Quoted(run.name));
    }
    if (::unlink(file->path.c_str()) != 0 && errno != ENOENT) {
      return Fail(ErrnoError(errno, "delete " + Quoted(file->path.string())));
    }
  }
  if (NameInLogdir(logdirs_[logdir], run.name) != ".") {
    ::rmdir(run.directory.c_str());  // Fails, as intended, if the directory holds other files.
  }
  const Content content = Read();
  const auto entry = content.annotations.runs.find(run.name);
  if (entry == content.annotations.runs.end()) return {};
  FieldChanges removals;
  for (const auto& [field, value] : entry->second) removals.emplace_back(field, "null");
  return ChangeRuns(std::span(&run.name, 1), removals);
}

}  // namespace cboard::server
