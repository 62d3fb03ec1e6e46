// The directories and event files below the log directories. The tree is updated as they change. It
// knows names, inodes and watches, and decides which files must be read; it does not read them. A
// file that is renamed, alone or with its directory, stays the same object: the inode identifies
// the file.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cboard/reader/log_reader.h"
#include "reader/live/change_watcher.h"
#include "reader/live/followed_file.h"
#include "reader/live/list_directory.h"

namespace cboard::reader {

struct TreeDirectory;

// An event file that is in the tree, or was removed from it a short time ago. Only one thread uses
// it, except `content`.
struct TreeFile : std::enable_shared_from_this<TreeFile> {
  std::shared_ptr<FollowedFile> content;
  std::optional<ReadOutcome> stored;  // The result of the first read, if it was done.
  // The view of the file after the last read; null before the first read.
  std::shared_ptr<const FileView> view;
  // The directory of the file; null if the file is not in the tree.
  TreeDirectory* directory = nullptr;
  std::string name;
  // The status of the file in the last listing of its directory, or at the last read.
  FileStatus seen;
  bool is_listed = false;  // Whether the file is in the list of files to read.
  bool is_busy = false;    // Whether a thread is reading the file.
  bool is_stale = false;   // Whether the file changed while a thread was reading it.
  // The time at which the file must be read again (ReadOutcome::read_again_at).
  std::optional<std::chrono::steady_clock::time_point> awaited_at;
  std::uint64_t generation = 0;  // The generation of the view, see ReadOutcome.
  std::uint64_t scalar_bytes = 0;
  std::uint64_t blob_index_bytes = 0;

  std::string path() const;
};

// A directory that is followed. It is a run if it has event files.
struct TreeDirectory {
  TreeDirectory* parent = nullptr;  // The parent; nullptr for a log directory.
  std::size_t logdir = 0;           // Index in LogTreeOptions::logdirs.
  std::string path;
  // The path relative to the log directory. It is empty for the log directory itself.
  std::string relative;
  bool by_link = false;
  bool is_polled = false;  // Changes of this directory are not reported.
  // Whether there are event files behind links, whose changes are not reported either, or links
  // that lead nowhere yet.
  bool has_links = false;
  std::optional<FileId> id;  // Empty until the directory was listed.
  int watch = -1;
  std::optional<Error> error;
  std::map<std::string, std::unique_ptr<TreeDirectory>, std::less<>> children;
  std::map<std::string, std::shared_ptr<TreeFile>, std::less<>> files;

  // The run that was made from this directory, and its name. SnapshotMaker sets them.
  std::shared_ptr<const Run> run;
  std::string run_name;
  bool is_loaded = false;  // Whether all files have been read at least once.
};

// The content of a file that is new in the tree.
struct OpenedFile {
  std::shared_ptr<FollowedFile> content;
  // The result of the first read, if an earlier start has stored it.
  std::optional<ReadOutcome> stored;
};

struct LogTreeOptions {
  std::vector<Logdir> logdirs;
  std::size_t max_directories = 1'000'000;
  ChangeWatcher* watcher = nullptr;  // nullptr: all directories are polled.
  // Maximum number of watched directories. Further directories are polled.
  std::size_t max_watches = DefaultMaxWatches();
  std::optional<Error> watch_error;  // The reason if the watcher could not be created.
  Workers* workers = nullptr;        // Lists many directories in parallel.

  // A function that creates the content of a new file. If it is not set, the content is an empty
  // FollowedFile. `path` begins with the path of the log directory, and `tags` contains the tags of
  // the previous file. Called from many threads.
  std::function<OpenedFile(std::size_t logdir, const std::string& path, const FileStatus& seen,
                           TagInfoMemory& tags)>
      open_file;
};

// The tree of directories and event files. Not thread-safe.
class LogTree {
 public:
  explicit LogTree(LogTreeOptions options);
  ~LogTree();
  LogTree(const LogTree&) = delete;
  LogTree& operator=(const LogTree&) = delete;

  // Lists all directories. Does not watch them before StartWatching() was called.
  void ListAll();

  // Starts to watch all directories, and lists them again, so that no change since the first
  // listing is missed. This is a separate step: watching costs a quarter of the time of a listing,
  // and the first snapshot does not need it.
  void StartWatching();

  // Lists the directories again whose changes are not reported: directories that are polled or
  // could not be listed, log directories that were missing or replaced, and links that lead to
  // another directory than before. Lists all directories if a file system was mounted or unmounted.
  void ListPolled();

  // Checks whether the log directories still exist and are the same directories. Needs one system
  // call per log directory.
  void CheckLogdirs();

  // Applies one report of the watcher.
  void Apply(const Change& change);

  // These functions return the files that must be read and the directories whose files have
  // changed, since the last call. TakeFilesToRead() resets `is_listed` to false.
  std::vector<std::shared_ptr<TreeFile>> TakeFilesToRead();
  std::vector<TreeDirectory*> TakeChangedRuns();

  // Returns the names of the runs that were removed since the last call.
  std::vector<std::string> TakeRemovedRuns();

  // True if runs have changed or were removed, or if directories became unreadable, since the last
  // call of the functions above.
  bool has_changes() const;

  // RecordError() must be called when a file was read. RetryFailed() adds the files for which the
  // system returned an error to the list of files to read.
  void RecordError(TreeFile& file);
  void RetryFailed();

  // Adds a file to the list of files to read, unless it is already in the list.
  void ReadAgain(const std::shared_ptr<TreeFile>& file);

  // Adds a directory to the list of changed runs.
  void MarkChanged(TreeDirectory& directory);

  // Forgets and returns the files that were removed from the tree some time ago.
  std::vector<std::shared_ptr<TreeFile>> DropRemoved(std::chrono::steady_clock::time_point now);

  void ForEachRun(const std::function<void(TreeDirectory&)>& visit);
  std::size_t watch_count() const { return watches_.size(); }

  // Returns the directories that could not be listed, sorted by path.
  std::vector<Error> Unreadable() const;

  // Returns the reason if some directories are polled although they should be watched.
  const std::optional<Error>& watch_error() const { return watch_error_; }

 private:
  struct Found {
    Listing listing;
    std::optional<Result<int>> watch;
    // The files of the directory, if there are few and all are new.
    std::vector<std::shared_ptr<TreeFile>> files;
  };
  enum class Which { kAll, kPolled };

  void List(std::vector<TreeDirectory*> level, Which which);
  Found Look(const TreeDirectory& directory, TagInfoMemory& tags) const;
  Result<int> Watch(const TreeDirectory& directory) const;
  std::shared_ptr<TreeFile> OpenFile(const TreeDirectory& directory, const std::string& name,
                                     const FileStatus& status, TagInfoMemory& tags) const;
  bool IsToBeListed(const TreeDirectory& directory, Which which) const;
  void PollOtherNames();
  bool Update(TreeDirectory& directory, Found found);
  bool Admit(TreeDirectory& directory, FileId id);
  void SetWatch(TreeDirectory& directory, const Found& found);
  // Ends the watches that no directory uses any more. It is called when all directories that were
  // listed together have their watches: after two directories were swapped, each of them gets the
  // watch of the other one, which must not end in between.
  void EndUnusedWatches();
  bool IsRemoteDevice(const TreeDirectory& directory);
  void UpdateFiles(TreeDirectory& directory, const Found& found);
  void UpdateChildren(TreeDirectory& directory, const std::vector<ListedDirectory>& children);
  void UpdateEntry(TreeDirectory& directory, std::string_view name);
  void PutFile(TreeDirectory& directory, const ListedFile& listed,
               std::shared_ptr<TreeFile> opened = nullptr);
  void RemoveFile(TreeDirectory& directory, std::string_view name);
  TreeDirectory* AddChild(TreeDirectory& directory, const std::string& name, bool is_link);
  void RemoveChild(TreeDirectory& directory, std::string_view name);
  void Clear(TreeDirectory& directory);
  void SetError(TreeDirectory& directory, std::optional<Error> error);
  void Release(TreeDirectory& directory);

  LogTreeOptions options_;
  std::vector<std::unique_ptr<TreeDirectory>> roots_;
  std::unordered_map<int, std::vector<TreeDirectory*>> watches_;
  std::vector<int> unused_watches_;
  mutable std::atomic<std::size_t> watches_left_ = 0;  // Used while directories are listed.
  std::map<FileId, int> links_;                        // The number of links to each directory.
  std::map<dev_t, bool> remote_devices_;
  // Files with several names of which a name is new: changes are reported for one name only.
  std::set<FileId> new_names_;
  std::string mounts_;  // The mounted file systems at the last listing.
  bool is_watching_ = false;
  std::int64_t first_listed_ns_ = 0;  // In the time of the file system's clock.
  std::size_t directory_count_ = 0;
  bool has_too_many_ = false;
  std::optional<Error> watch_error_;
  // The directories that could not be listed.
  std::unordered_set<const TreeDirectory*> unreadable_;

  std::vector<std::shared_ptr<TreeFile>> to_read_;
  std::unordered_set<TreeDirectory*> changed_;
  std::vector<std::string> removed_runs_;
  std::vector<std::weak_ptr<TreeFile>> failed_;
  // True if the unreadable directories have changed since the last call of Unreadable().
  mutable bool has_new_errors_ = false;

  // Files that were removed from the tree a short time ago. A rename adds them again.
  struct Removed {
    std::shared_ptr<TreeFile> file;
    std::chrono::steady_clock::time_point since;
  };
  std::map<FileId, Removed> removed_;
};

}  // namespace cboard::reader
