#include "reader/live/log_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cboard/base/strings.h"
#include "reader/index/file_system.h"
#include "reader/live/heap_room.h"

namespace cboard::reader {
namespace {

using Clock = std::chrono::steady_clock;

// Maximum number of links to one directory. If directories contain many links to each other, there
// are too many paths.
constexpr int kMaxLinks = 16;

// Smallest difference of modification times that all common file systems can store.
constexpr std::int64_t kTimestampsDifferAfterNs = 2'000'000'000;

// If a directory has more files than this, the pool opens and reads the files one by one.
constexpr std::size_t kFewFiles = 16;

std::int64_t NowNs() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Returns the error message for a log directory that the user has named.
Error LogdirError(const std::string& path, const Error& listing_error) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) {
      return {ErrorCode::kNotFound, "log directory " + Quoted(path, 1000) +
                                        " does not exist; check its name, or log something to it"};
    }
    return ErrnoError(errno, "read log directory " + Quoted(path, 1000));
  }
  if (!S_ISDIR(status.st_mode)) {
    return {ErrorCode::kInvalidArgument, Quoted(path, 1000) + " is a file, not a log directory"};
  }
  return listing_error;
}

// Whether another directory is at the path now.
bool IsReplaced(const TreeDirectory& directory) {
  struct stat status;
  return ::stat(directory.path.c_str(), &status) != 0 ||
         directory.id != FileId{status.st_dev, status.st_ino};
}

}  // namespace

std::string TreeFile::path() const { return JoinPath(directory->path, name); }

LogTree::LogTree(LogTreeOptions options)
    : options_(std::move(options)), watch_error_(options_.watch_error) {
  for (std::size_t i = 0; i < options_.logdirs.size(); ++i) {
    auto root = std::make_unique<TreeDirectory>();
    root->logdir = i;
    root->path = options_.logdirs[i].path.native();
    roots_.push_back(std::move(root));
    ++directory_count_;
  }
}

LogTree::~LogTree() = default;

void LogTree::ListAll() {
  if (first_listed_ns_ == 0) {
    first_listed_ns_ = NowNs();
    mounts_ = MountTable();
  }
  std::vector<TreeDirectory*> level;
  for (const auto& root : roots_) level.push_back(root.get());
  List(std::move(level), Which::kAll);
}

void LogTree::StartWatching() {
  if (options_.watcher == nullptr || is_watching_) return;
  is_watching_ = true;
  ListAll();
  // Reads recent files again: a file that was overwritten during its first reading may look
  // unchanged.
  ForEachRun([this](TreeDirectory& directory) {
    for (const auto& [name, file] : directory.files) {
      if (file->seen.modified_ns >= first_listed_ns_ - kTimestampsDifferAfterNs) ReadAgain(file);
    }
  });
}

void LogTree::ListPolled() {
  PollOtherNames();
  // A file system that is mounted over a directory or file is not reported as a change of it.
  std::string mounts = MountTable();
  const bool are_mounts_same = mounts == mounts_;
  mounts_ = std::move(mounts);
  std::vector<TreeDirectory*> level;
  for (const auto& root : roots_) level.push_back(root.get());
  List(std::move(level), are_mounts_same ? Which::kPolled : Which::kAll);
}

// When a file in the tree gets a second name, only the directory of the new name is known. Finds
// the directories of the other names, all at once.
void LogTree::PollOtherNames() {
  if (new_names_.empty()) return;
  ForEachRun([this](TreeDirectory& directory) {
    directory.has_links |= std::ranges::any_of(directory.files, [this](const auto& file) {
      return new_names_.contains(file.second->seen.id);
    });
  });
  new_names_.clear();
}

void LogTree::CheckLogdirs() {
  for (const auto& root : roots_) {
    struct stat status;
    std::optional<FileId> id;
    if (::stat(root->path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      id = FileId{status.st_dev, status.st_ino};
    }
    if (id != root->id) List({root.get()}, Which::kAll);
  }
}

bool LogTree::IsToBeListed(const TreeDirectory& directory, Which which) const {
  return which == Which::kAll || directory.is_polled || directory.has_links || directory.error ||
         !directory.id || (directory.by_link && IsReplaced(directory));
}

// Lists all directories of one level in parallel, then those of the next level.
void LogTree::List(std::vector<TreeDirectory*> level, Which which) {
  constexpr std::size_t kPerTask = 16;
  constexpr std::size_t kBytesPerDirectory = 6000;  // An estimate for a file with 20 tags.
  while (!level.empty()) {
    std::vector<TreeDirectory*> listed;
    std::vector<TreeDirectory*> next;
    for (TreeDirectory* directory : level) {
      if (IsToBeListed(*directory, which)) {
        listed.push_back(directory);
      } else {
        for (const auto& [name, child] : directory->children) next.push_back(child.get());
      }
    }
    std::vector<Found> found(listed.size());
    watches_left_ = options_.max_watches - std::min(options_.max_watches, watches_.size());
    const auto look = [&](std::size_t task) {
      const std::size_t end = std::min(listed.size(), (task + 1) * kPerTask);
      MakeHeapRoom((end - task * kPerTask) * kBytesPerDirectory);
      TagInfoMemory tags;
      for (std::size_t i = task * kPerTask; i < end; ++i) found[i] = Look(*listed[i], tags);
    };
    const std::size_t tasks = (listed.size() + kPerTask - 1) / kPerTask;
    if (options_.workers != nullptr && tasks > 1) {
      options_.workers->ForEach(tasks, look);
    } else {
      for (std::size_t task = 0; task < tasks; ++task) look(task);
    }
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (!Update(*listed[i], std::move(found[i]))) continue;
      for (const auto& [name, child] : listed[i]->children) next.push_back(child.get());
    }
    EndUnusedWatches();
    level = std::move(next);
  }
}

// Watches a directory. Like Look(), it is called from many threads.
Result<int> LogTree::Watch(const TreeDirectory& directory) const {
  if (directory.watch < 0) {
    std::size_t left = watches_left_;
    while (left > 0 && !watches_left_.compare_exchange_weak(left, left - 1)) {
    }
    if (left == 0) {
      return Fail(
          ErrorCode::kResourceExhausted,
          "only " + std::to_string(options_.max_watches) +
              " directories are watched for changes (a quarter of fs.inotify.max_user_watches); "
              "further directories are checked at intervals, so their changes appear later");
    }
  }
  return options_.watcher->Add(directory.path);
}

// Watches and lists a directory. Watching starts first, so that changes during the listing are
// reported. Called from many threads while the tree does not change.
LogTree::Found LogTree::Look(const TreeDirectory& directory, TagInfoMemory& tags) const {
  Found found;
  if (is_watching_) found.watch = Watch(directory);
  found.listing = ListDirectory(directory.path);
  const std::vector<ListedFile>& files = found.listing.files;
  if (directory.files.empty() && files.size() <= kFewFiles) {
    found.files.reserve(files.size());
    for (const ListedFile& file : files) {
      const bool is_renamed = removed_.contains(file.status.id);
      found.files.push_back(is_renamed ? nullptr
                                       : OpenFile(directory, file.name, file.status, tags));
    }
  }
  return found;
}

std::shared_ptr<TreeFile> LogTree::OpenFile(const TreeDirectory& directory, const std::string& name,
                                            const FileStatus& status, TagInfoMemory& tags) const {
  auto file = std::make_shared<TreeFile>();
  if (options_.open_file) {
    OpenedFile opened =
        options_.open_file(directory.logdir, JoinPath(directory.path, name), status, tags);
    file->content = std::move(opened.content);
    file->stored = std::move(opened.stored);
  } else {
    file->content = std::make_shared<FollowedFile>();
  }
  return file;
}

// Updates a directory of the tree after a listing. Returns false if the directory is no longer part
// of the tree.
bool LogTree::Update(TreeDirectory& directory, Found found) {
  const bool is_admitted = found.listing.id && Admit(directory, *found.listing.id);
  const std::optional<Error>& error = found.listing.error;
  if (!found.listing.id && directory.parent != nullptr && error &&
      error->code != ErrorCode::kNotFound) {
    // The directory exists, but its path is too long or its permissions forbid listing it.
    SetError(directory, error);
    return true;
  }
  if (!is_admitted && directory.parent != nullptr) {
    directory.parent->has_links |= directory.by_link;  // The link may lead somewhere again.
    RemoveChild(*directory.parent, LastPart(directory.relative));
    return false;
  }
  if (!is_admitted) {
    Clear(directory);
    directory.id = std::nullopt;
    SetError(directory, LogdirError(directory.path, error.value_or(Error{})));
    return true;
  }
  SetWatch(directory, found);
  SetError(directory, error);
  // If the listing has failed, files that are missing in it may still exist.
  if (!error || !found.listing.files.empty()) UpdateFiles(directory, found);
  if (!error || !found.listing.directories.empty()) {
    UpdateChildren(directory, found.listing.directories);
  }
  return true;
}

// True if a directory with the inode `id` may be added to the tree: it must not be inside itself,
// and the number of links to it is limited.
bool LogTree::Admit(TreeDirectory& directory, FileId id) {
  if (directory.id == id) return true;
  for (const TreeDirectory* above = directory.parent; above != nullptr; above = above->parent) {
    if (above->id == id) return false;
  }
  if (directory.id) {  // Another directory has replaced it.
    Clear(directory);
    if (directory.by_link) --links_[*directory.id];
    directory.id = std::nullopt;
  }
  if (directory.by_link) {
    int& links = links_[id];
    if (links >= kMaxLinks) return false;
    ++links;
  }
  directory.id = id;
  return true;
}

void LogTree::SetWatch(TreeDirectory& directory, const Found& found) {
  const int watch = found.watch && *found.watch ? **found.watch : -1;
  if (found.watch && !*found.watch && found.watch->error().code == ErrorCode::kResourceExhausted) {
    has_new_errors_ = has_new_errors_ || !watch_error_;
    watch_error_ = found.watch->error();
  }
  directory.is_polled = watch < 0 || IsRemoteDevice(directory);
  if (watch == directory.watch) return;
  if (directory.watch >= 0) {
    const auto old = watches_.find(directory.watch);
    std::erase(old->second, &directory);
    if (old->second.empty()) unused_watches_.push_back(directory.watch);
  }
  directory.watch = watch;
  if (watch >= 0) watches_[watch].push_back(&directory);
}

void LogTree::EndUnusedWatches() {
  for (const int watch : std::exchange(unused_watches_, {})) {
    const auto unused = watches_.find(watch);
    if (unused == watches_.end() || !unused->second.empty()) continue;
    options_.watcher->Remove(watch);
    watches_.erase(unused);
  }
}

// True if the directory is on a network file system. This is checked once per file system, not once
// for each of thousands of directories.
bool LogTree::IsRemoteDevice(const TreeDirectory& directory) {
  if (!directory.id) return false;
  const auto [known, is_new] = remote_devices_.try_emplace(directory.id->device);
  if (is_new) known->second = IsRemote(directory.path);
  return known->second;
}

void LogTree::SetError(TreeDirectory& directory, std::optional<Error> error) {
  if (directory.error == error) return;
  has_new_errors_ = true;
  if (error) {
    unreadable_.insert(&directory);
  } else {
    unreadable_.erase(&directory);
  }
  directory.error = std::move(error);
}

void LogTree::UpdateFiles(TreeDirectory& directory, const Found& found) {
  const std::vector<ListedFile>& files = found.listing.files;
  directory.has_links =
      found.listing.has_open_links || std::ranges::any_of(files, &ListedFile::is_link);
  std::vector<std::string> gone;
  auto listed = files.begin();
  for (const auto& [name, file] : directory.files) {  // Both lists are sorted by name.
    while (listed != files.end() && listed->name < name) ++listed;
    if (listed == files.end() || listed->name != name) gone.push_back(name);
  }
  for (const std::string& name : gone) RemoveFile(directory, name);
  for (std::size_t i = 0; i < files.size(); ++i) {
    PutFile(directory, files[i], found.files.empty() ? nullptr : found.files[i]);
  }
}

void LogTree::UpdateChildren(TreeDirectory& directory,
                             const std::vector<ListedDirectory>& children) {
  std::vector<std::string> gone;
  auto listed = children.begin();
  for (const auto& [name, child] : directory.children) {
    while (listed != children.end() && listed->name < name) ++listed;
    if (listed == children.end() || listed->name != name || listed->is_link != child->by_link) {
      gone.push_back(name);
    }
  }
  for (const std::string& name : gone) RemoveChild(directory, name);
  constexpr std::size_t kAtOnce = 128, kBytesPerChild = 700;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i % kAtOnce == 0) MakeHeapRoom(std::min(kAtOnce, children.size() - i) * kBytesPerChild);
    AddChild(directory, children[i].name, children[i].is_link);
  }
}

// Returns the child with this name; adds it if it is missing. Returns null if there are too many
// directories.
TreeDirectory* LogTree::AddChild(TreeDirectory& directory, const std::string& name, bool is_link) {
  const auto place = directory.children.lower_bound(name);
  if (place != directory.children.end() && place->first == name) return place->second.get();
  if (directory_count_ >= options_.max_directories) {
    has_new_errors_ = has_new_errors_ || !has_too_many_;
    has_too_many_ = true;
    return nullptr;
  }
  ++directory_count_;
  auto child = std::make_unique<TreeDirectory>();
  child->parent = &directory;
  child->logdir = directory.logdir;
  child->path = JoinPath(directory.path, name);
  child->relative = JoinPath(directory.relative, name);
  child->by_link = is_link;
  return directory.children.emplace_hint(place, name, std::move(child))->second.get();
}

void LogTree::RemoveChild(TreeDirectory& directory, std::string_view name) {
  const auto child = directory.children.find(name);
  if (child == directory.children.end()) return;
  Clear(*child->second);
  Release(*child->second);
  directory.children.erase(child);
  --directory_count_;
}

// Removes a directory from all lists before it is destroyed.
void LogTree::Release(TreeDirectory& directory) {
  SetError(directory, std::nullopt);
  changed_.erase(&directory);
  if (directory.by_link && directory.id && --links_[*directory.id] == 0) {
    links_.erase(*directory.id);
  }
  if (!directory.run_name.empty()) removed_runs_.push_back(std::move(directory.run_name));
}

// Removes all content of a directory and ends its watch.
void LogTree::Clear(TreeDirectory& directory) {
  while (!directory.children.empty()) {
    const std::string name = directory.children.begin()->first;
    RemoveChild(directory, name);
  }
  while (!directory.files.empty()) {
    const std::string name = directory.files.begin()->first;
    RemoveFile(directory, name);
  }
  SetWatch(directory, Found{});
}

// `opened` is the content for the file if it is new.
void LogTree::PutFile(TreeDirectory& directory, const ListedFile& listed,
                      std::shared_ptr<TreeFile> opened) {
  const auto& [name, status, is_link] = listed;
  const auto known = directory.files.find(name);
  if (known != directory.files.end()) {
    TreeFile& file = *known->second;
    if (file.seen == status) return;
    if (file.seen.id == status.id) {
      file.seen = status;
      ReadAgain(known->second);
      return;
    }
    RemoveFile(directory, name);  // The file was replaced.
  }
  if (is_link) new_names_.insert(status.id);
  std::shared_ptr<TreeFile> file;
  if (const auto removed = removed_.find(status.id); removed != removed_.end()) {
    file = std::move(removed->second.file);  // The file was renamed.
    removed_.erase(removed);
  } else if (opened) {
    file = std::move(opened);
  } else {
    TagInfoMemory tags;
    file = OpenFile(directory, name, status, tags);
  }
  file->directory = &directory;
  file->name = name;
  file->seen = status;
  directory.files[name] = file;
  ReadAgain(file);
  MarkChanged(directory);
}

void LogTree::RemoveFile(TreeDirectory& directory, std::string_view name) {
  const auto known = directory.files.find(name);
  if (known == directory.files.end()) return;
  const std::shared_ptr<TreeFile> file = std::move(known->second);
  directory.files.erase(known);
  file->directory = nullptr;
  removed_[file->seen.id] = {file, Clock::now()};
  MarkChanged(directory);
}

void LogTree::ForEachRun(const std::function<void(TreeDirectory&)>& visit) {
  std::vector<TreeDirectory*> stack;
  for (const auto& root : roots_) stack.push_back(root.get());
  while (!stack.empty()) {
    TreeDirectory& directory = *stack.back();
    stack.pop_back();
    if (!directory.files.empty()) visit(directory);
    for (const auto& [name, child] : directory.children) stack.push_back(child.get());
  }
}

std::vector<Error> LogTree::Unreadable() const {
  has_new_errors_ = false;
  std::vector<const TreeDirectory*> directories(unreadable_.begin(), unreadable_.end());
  std::ranges::sort(directories, {}, &TreeDirectory::path);
  std::vector<Error> errors;
  for (const TreeDirectory* directory : directories) errors.push_back(*directory->error);
  if (has_too_many_) {
    errors.push_back({ErrorCode::kResourceExhausted,
                      "there are more than " + HumanCount(options_.max_directories) +
                          " directories; choose a log directory closer to the event files"});
  }
  return errors;
}

}  // namespace cboard::reader
