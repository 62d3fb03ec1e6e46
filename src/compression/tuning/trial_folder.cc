#include "compression/tuning/trial_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/object_store/object_url.h"

namespace cboard::compression {
namespace {

namespace fs = std::filesystem;

// Maximum number of copies of one name that are tried.
constexpr int kMaxCopies = 10'000;

// Locks a directory and returns the descriptor that contains the lock.
Result<int> Lock(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return Fail(ErrnoError(errno, "open the folder " + Quoted(path.string())));
  }
  // Some network file systems do not support locks. Two tunings on such a file system conflict only
  // if they create a directory of the same name.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return descriptor;
  ::close(descriptor);
  return Fail(ErrorCode::kUnavailable,
              "another tuning logs into " + Quoted(path.string()) +
                  "; wait until it has ended, or choose another directory");
}

struct Earlier {
  std::optional<int> last_number;
  std::string example;  // Name of one of the earlier trials.
};

Result<Earlier> FindEarlier(const fs::path& path) {
  Earlier earlier;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::optional<TrialName> trial = ParseTrialName(name);
    if (!trial) continue;
    if (!earlier.last_number || trial->number > *earlier.last_number) {
      earlier.last_number = trial->number;
      earlier.example = name;
    }
  }
  if (error) return Fail(ErrnoError(error.value(), "list " + Quoted(path.string())));
  return earlier;
}

// Returns the first unused name of `path`, `path`_2, `path`_3, …
Result<fs::path> FreeName(const fs::path& path) {
  std::error_code error;
  fs::path candidate = path;
  for (int copy = 2; fs::exists(fs::symlink_status(candidate, error)); ++copy) {
    if (copy > kMaxCopies) {
      return Fail(ErrorCode::kAlreadyExists, "too many copies exist of the directory " +
                                                 Quoted(path.string()) + "; remove some of them");
    }
    candidate = path;
    candidate += "_" + std::to_string(copy);
  }
  return candidate;
}

Result<fs::path> Rename(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return to;
  if (errno == ENOTEMPTY || errno == EEXIST) {
    return Fail(
        ErrorCode::kAlreadyExists,
        "the directory " + Quoted(to.string(), 200) +
            " already exists, so the trial could not be renamed; its logged values remain in " +
            Quoted(from.string(), 200));
  }
  return Fail(ErrnoError(
      errno, "rename " + Quoted(from.string(), 200) + " to " + Quoted(to.filename().string())));
}

// Removes a slash at the end, so that a suffix can be appended: runs/eval/ is the same directory as
// runs/eval.
fs::path WithoutTrailingSlash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

Result<TrialFolder> TrialFolder::Open(const fs::path& given, ExistingTrials earlier_trials) {
  const fs::path path = WithoutTrailingSlash(given);
  if (object_store::IsObjectUrl(path.native())) {
    return Fail(ErrorCode::kInvalidArgument,
                "a tuning cannot log into a bucket, because its finished trials are renamed; log "
                "to a local directory and copy it to " +
                    path.string());
  }
  CBOARD_RETURN_IF_ERROR(CreateDirectories(path));
  CBOARD_ASSIGN_OR_RETURN(const int descriptor, Lock(path));
  TrialFolder folder(path, descriptor);
  CBOARD_ASSIGN_OR_RETURN(const Earlier earlier, FindEarlier(path));
  if (!earlier.last_number) return folder;
  switch (earlier_trials) {
    case ExistingTrials::kContinue:
      folder.next_number_ = *earlier.last_number + 1;
      return folder;
    case ExistingTrials::kRefuse:
      return Fail(ErrorCode::kAlreadyExists,
                  "the directory " + Quoted(path.string()) + " contains " +
                      Quoted(earlier.example) +
                      " of an earlier tuning; move it away, or choose another directory");
    case ExistingTrials::kMoveAside:
      break;
  }
  fs::path aside = path;
  aside += "_earlier";
  CBOARD_ASSIGN_OR_RETURN(aside, FreeName(aside));
  CBOARD_RETURN_IF_ERROR(Rename(path, aside));
  CBOARD_RETURN_IF_ERROR(CreateDirectories(path));
  CBOARD_ASSIGN_OR_RETURN(const int fresh, Lock(path));
  return TrialFolder(path, fresh);
}

TrialFolder::TrialFolder(fs::path path, int lock)
    : path_(std::move(path)), lock_(lock), process_(::getpid()) {}

TrialFolder::TrialFolder(TrialFolder&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      process_(other.process_),
      next_number_(other.next_number_) {}

TrialFolder& TrialFolder::operator=(TrialFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(process_, other.process_);
  std::swap(next_number_, other.next_number_);
  return *this;
}

TrialFolder::~TrialFolder() {
  if (lock_ < 0) return;
  // Unlocks explicitly, because child processes that were forked in the meantime, such as data
  // loaders, have the same descriptor open.
  if (IsOfThisProcess()) ::flock(lock_, LOCK_UN);
  ::close(lock_);
}

bool TrialFolder::IsOfThisProcess() const { return process_ == ::getpid(); }

fs::path TrialFolder::Unfinished() const { return path_ / VariantOfTrial(next_number_); }

Result<fs::path> TrialFolder::Start() {
  const fs::path directory = Unfinished();
  std::error_code error;
  if (fs::create_directory(directory, error)) return directory;
  if (error) {
    return Fail(ErrnoError(error.value(), "create the directory " + Quoted(directory.string())));
  }
  return Fail(ErrorCode::kAlreadyExists,
              "the directory " + Quoted(directory.string()) +
                  " already exists; move it away, or choose another directory");
}

Result<fs::path> TrialFolder::Finish(const std::string& name) {
  const fs::path from = Unfinished();
  ++next_number_;
  if (from.filename() == name) return from;
  return Rename(from, path_ / name);
}

Result<fs::path> TrialFolder::Abandon() {
  const fs::path from = Unfinished();
  fs::path failed = from;
  failed += "_failed";
  CBOARD_ASSIGN_OR_RETURN(failed, FreeName(failed));
  return Rename(from, failed);
}

}  // namespace cboard::compression
