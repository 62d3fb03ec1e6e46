#include "reader/live/snapshot_maker.h"

#include <algorithm>

#include "cboard/base/strings.h"
#include "reader/live/heap_room.h"
#include "reader/live/merge_run.h"

namespace cboard::reader {
namespace {

// Returns a view of a file that was not read yet. Only its name and size are known.
std::shared_ptr<const FileView> EmptyView(const TreeFile& file) {
  auto view = std::make_shared<FileView>();
  view->file.path = file.path();
  view->file.size_bytes = file.seen.size_bytes;
  return view;
}

}  // namespace

std::string RunName(const Logdir& logdir, const std::string& relative) {
  const std::string run = relative.empty() ? "." : ToValidUtf8(relative);
  return logdir.name.empty() ? run : ToValidUtf8(logdir.name) + "/" + run;
}

// Returns a unique name for a run, with a number at the end if needed. Two directories have the
// same name if they differ only in bytes that are not UTF-8, or if two log directories have the
// same name.
std::string SnapshotMaker::UniqueName(const TreeDirectory& directory) {
  const std::string name = RunName(logdirs_[directory.logdir], directory.relative);
  if (!runs_.contains(name)) return name;
  int& last = last_suffix_.try_emplace(name, 1).first->second;
  std::string unique;
  do {
    unique = name + " (" + std::to_string(++last) + ")";
  } while (runs_.contains(unique));
  return unique;
}

void SnapshotMaker::Remake(TreeDirectory& directory) const {
  std::vector<std::shared_ptr<const FileView>> views;
  views.reserve(directory.files.size());
  directory.is_loaded = true;
  for (const auto& [name, file] : directory.files) {
    directory.is_loaded = directory.is_loaded && file->view != nullptr;
    // If the file was renamed after it was read, uses its current name, so that it can be opened.
    if (std::string path = file->path();
        file->view != nullptr && file->view->file.path.native() != path) {
      file->view = WithPath(*file->view, path);
    }
    views.push_back(file->view != nullptr ? file->view : EmptyView(*file));
  }
  directory.run =
      MergeRun(directory.run_name, directory.path, views, {.purge = purge_, .version = version_});
}

std::shared_ptr<Snapshot> SnapshotMaker::Make(LogTree& tree) {
  ++version_;
  // Releases the names of removed directories first. A directory that was deleted and created again
  // thus gets the same name.
  for (const std::string& name : tree.TakeRemovedRuns()) runs_.erase(name);
  std::vector<TreeDirectory*> changed = tree.TakeChangedRuns();
  std::erase_if(changed, [&](TreeDirectory* directory) {
    if (!directory->files.empty()) return false;
    runs_.erase(directory->run_name);
    directory->run_name.clear();
    directory->run = nullptr;
    return true;
  });
  // Sorts the directories, so that names do not depend on the order in which they were found.
  std::ranges::sort(changed, {}, &TreeDirectory::path);
  for (TreeDirectory* directory : changed) {
    if (!directory->run_name.empty()) continue;
    directory->run_name = UniqueName(*directory);
    runs_.emplace(directory->run_name, directory);
  }

  constexpr std::size_t kPerTask = 64;
  constexpr std::size_t kBytesPerRun = 3000;  // An estimate of 20 tags per run.
  const std::size_t tasks = (changed.size() + kPerTask - 1) / kPerTask;
  const auto remake = [&](std::size_t task) {
    const std::size_t end = std::min(changed.size(), (task + 1) * kPerTask);
    MakeHeapRoom((end - task * kPerTask) * kBytesPerRun);
    for (std::size_t i = task * kPerTask; i < end; ++i) Remake(*changed[i]);
  };
  if (workers_ != nullptr && tasks > 1) {
    workers_->ForEach(tasks, remake);
  } else {
    for (std::size_t task = 0; task < tasks; ++task) remake(task);
  }

  auto snapshot = std::make_shared<Snapshot>();
  snapshot->version = version_;
  snapshot->runs.reserve(runs_.size());
  for (const auto& [name, directory] : runs_) {
    snapshot->runs.push_back(directory->run);
    if (directory->is_loaded) ++snapshot->progress.done_runs;
  }
  snapshot->progress.total_runs = runs_.size();
  snapshot->unreadable = tree.Unreadable();
  if (tree.watch_error()) snapshot->notices.push_back(*tree.watch_error());
  return snapshot;
}

}  // namespace cboard::reader
