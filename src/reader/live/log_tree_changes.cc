// Applies reports of changes to the tree, and updates the lists of files to read and of changed
// runs.
#include <algorithm>
#include <utility>

#include "reader/live/log_tree.h"

namespace cboard::reader {
namespace {

using Clock = std::chrono::steady_clock;

// Time for which a removed file is kept. It is longer than the time between the two reports of a
// rename, also if directories are polled.
constexpr Clock::duration kRemovedFor = std::chrono::seconds(15);

}  // namespace

void LogTree::Apply(const Change& change) {
  if (change.kind == ChangeKind::kLost) {
    ListAll();
    return;
  }
  const auto watched = watches_.find(change.watch);
  if (watched == watches_.end()) return;
  if (change.kind == ChangeKind::kContent) {
    for (TreeDirectory* directory : watched->second) {
      const auto file = directory->files.find(change.name);
      if (file != directory->files.end()) ReadAgain(file->second);
    }
    return;
  }
  // An update of one directory may remove others, so each directory is looked up again.
  const std::vector<TreeDirectory*> directories = watched->second;
  for (TreeDirectory* directory : directories) {
    const auto now = watches_.find(change.watch);
    if (now == watches_.end()) return;
    if (std::ranges::find(now->second, directory) == now->second.end()) continue;
    if (change.kind == ChangeKind::kEntry) {
      UpdateEntry(*directory, change.name);
    } else if (directory->parent != nullptr) {
      UpdateEntry(*directory->parent, std::string(LastPart(directory->relative)));
    } else {
      // Lists the directory instead of calling CheckLogdirs(): a new directory may have the same
      // inode as the old one, but the watch of the old one has ended.
      List({directory}, Which::kAll);
    }
  }
  EndUnusedWatches();
}

// Updates one entry of a directory. Does not list the whole directory, which may contain many
// thousand runs.
void LogTree::UpdateEntry(TreeDirectory& directory, std::string_view name) {
  const std::string key(name);
  const Entry entry = StatEntry(JoinPath(directory.path, name), name);
  if (entry.kind != EntryKind::kEventFile) RemoveFile(directory, key);
  directory.has_links |= entry.leads_nowhere();
  const auto known = directory.children.find(key);
  if (known != directory.children.end() &&
      (entry.kind != EntryKind::kDirectory || known->second->by_link != entry.is_link)) {
    RemoveChild(directory, key);
  }
  if (entry.kind == EntryKind::kEventFile) {
    directory.has_links |= entry.is_link;
    PutFile(directory, {key, entry.status, entry.is_link});
  } else if (entry.kind == EntryKind::kDirectory) {
    // Lists a known directory too: it may be a new one with the same inode, and the watch of the
    // old one has ended.
    if (TreeDirectory* child = AddChild(directory, key, entry.is_link)) {
      List({child}, Which::kAll);
    }
  }
}

void LogTree::ReadAgain(const std::shared_ptr<TreeFile>& file) {
  if (file->is_busy) {
    file->is_stale = true;
  } else if (file->is_listed) {
    file->stored.reset();  // The file has changed since it was opened.
  } else {
    file->is_listed = true;
    to_read_.push_back(file);
  }
}

void LogTree::MarkChanged(TreeDirectory& directory) { changed_.insert(&directory); }

bool LogTree::has_changes() const {
  return !changed_.empty() || !removed_runs_.empty() || has_new_errors_;
}

void LogTree::RecordError(TreeFile& file) {
  if (file.view && file.view->file.error) failed_.push_back(file.weak_from_this());
}

void LogTree::RetryFailed() {
  for (const std::weak_ptr<TreeFile>& failed : std::exchange(failed_, {})) {
    const std::shared_ptr<TreeFile> file = failed.lock();
    if (file && file->directory != nullptr) ReadAgain(file);
  }
}

std::vector<std::shared_ptr<TreeFile>> LogTree::TakeFilesToRead() {
  for (const auto& file : to_read_) file->is_listed = false;
  std::erase_if(to_read_, [](const auto& file) { return file->directory == nullptr; });
  return std::exchange(to_read_, {});
}

std::vector<TreeDirectory*> LogTree::TakeChangedRuns() {
  std::vector<TreeDirectory*> changed(changed_.begin(), changed_.end());
  changed_.clear();
  return changed;
}

std::vector<std::string> LogTree::TakeRemovedRuns() { return std::exchange(removed_runs_, {}); }

std::vector<std::shared_ptr<TreeFile>> LogTree::DropRemoved(Clock::time_point now) {
  std::vector<std::shared_ptr<TreeFile>> dropped;
  std::erase_if(removed_, [&](const auto& entry) {
    if (now - entry.second.since <= kRemovedFor) return false;
    dropped.push_back(entry.second.file);
    return true;
  });
  return dropped;
}

}  // namespace cboard::reader
