#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/reader/logdir_scan.h"

namespace cboard {
namespace {

namespace fs = std::filesystem;

// A directory whatever path leads to it.
using DirectoryId = std::pair<dev_t, ino_t>;

std::optional<DirectoryId> IdOf(const fs::path& directory) {
  struct stat status;
  if (::stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return DirectoryId(status.st_dev, status.st_ino);
}

// How often links may lead to one directory. Directories that are full of links to each other have
// more paths than anybody could wait for.
constexpr int kMaxLinks = 16;

struct Child {
  fs::path name;
  bool is_link = false;
};

bool IsEventFileName(const std::string& name) { return name.find("tfevents") != std::string::npos; }

class RunFinder {
 public:
  RunFinder(fs::path logdir, std::vector<Error>& unreadable, std::size_t max_directories)
      : logdir_(std::move(logdir)), unreadable_(unreadable), directories_left_(max_directories) {}

  Result<std::vector<RunFiles>> Find() {
    CBOARD_RETURN_IF_ERROR(Visit(logdir_, {}, /*by_link=*/false));
    std::ranges::sort(runs_, {}, &RunFiles::name);
    return std::move(runs_);
  }

 private:
  Result<void> Visit(const fs::path& directory, const fs::path& relative, bool by_link) {
    const std::optional<DirectoryId> id = IdOf(directory);
    if (!id) return {};  // Removed meanwhile.
    if (std::ranges::find(ancestors_, *id) != ancestors_.end()) return {};
    if (by_link && ++links_[*id] > kMaxLinks) return {};
    if (directories_left_ == 0) {
      return Fail(ErrorCode::kResourceExhausted,
                  "too many directories below " + Quoted(logdir_.native(), 1000) +
                      "; choose a log directory closer to the event files");
    }
    --directories_left_;

    RunFiles run{.name = relative.empty() ? "." : ToValidUtf8(relative.native()),
                 .directory = directory};
    std::vector<Child> children;
    std::error_code error;
    fs::directory_iterator entry(directory, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_directory(ignored)) {
        children.push_back({entry->path().filename(), entry->is_symlink(ignored)});
      } else if (IsEventFileName(entry->path().filename().native()) &&
                 entry->is_regular_file(ignored)) {
        const std::uintmax_t size = entry->file_size(ignored);
        if (ignored) continue;
        run.files.push_back(entry->path());
        run.size_bytes += size;
      }
    }
    if (error) {
      unreadable_.push_back(ErrnoError(error.value(), "list " + Quoted(directory.native(), 1000)));
    }
    if (!run.files.empty()) {
      std::ranges::sort(run.files);
      runs_.push_back(std::move(run));
    }

    std::ranges::sort(children, {}, &Child::name);
    ancestors_.push_back(*id);
    for (const Child& child : children) {
      CBOARD_RETURN_IF_ERROR(Visit(directory / child.name, relative / child.name, child.is_link));
    }
    ancestors_.pop_back();
    return {};
  }

  fs::path logdir_;
  std::vector<Error>& unreadable_;
  std::size_t directories_left_;
  std::vector<DirectoryId> ancestors_;  // A link back to one of them would never end.
  std::map<DirectoryId, int> links_;    // How many led to each so far.
  std::vector<RunFiles> runs_;
};

}  // namespace

Result<std::vector<RunFiles>> FindRuns(const fs::path& logdir, std::vector<Error>& unreadable,
                                       std::size_t max_directories) {
  struct stat status;
  if (::stat(logdir.c_str(), &status) != 0) {
    return Fail(ErrnoError(errno, "read log directory " + Quoted(logdir.native(), 1000)));
  }
  if (!S_ISDIR(status.st_mode)) {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(logdir.native(), 1000) + " is a file, not a log directory");
  }
  return RunFinder(logdir, unreadable, max_directories).Find();
}

}  // namespace cboard
