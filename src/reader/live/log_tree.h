// The directories and event files below the log directories, updated as they change. The tree knows
// names, inodes and watches, and decides what must be read; it reads nothing itself. A file that is
// renamed, alone or with its directory, stays the same object: it is recognised by its inode (and
// by its content when it is read).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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

// An event file in the tree, or just taken out of it. Used by one thread only, but for `content`.
struct TreeFile : std::enable_shared_from_this<TreeFile> {
  std::shared_ptr<FollowedFile> content;
  std::optional<ReadOutcome> stored;     // Result of the first read, if it is done.
  std::shared_ptr<const FileView> view;  // As last read; nullptr before that.
  TreeDirectory* directory = nullptr;    // nullptr when it is not in the tree.
  std::string name;
  FileStatus seen;               // As its directory showed it last, or as it was when last read.
  bool is_listed = false;        // In the list of files to read.
  bool is_busy = false;          // Somebody reads it.
  bool is_stale = false;         // Changed while somebody read it.
  bool is_awaited = false;       // To be read again at some time, see ReadOutcome.
  std::uint64_t generation = 0;  // Generation of the view, see ReadOutcome.
  std::uint64_t scalar_bytes = 0;
  std::uint64_t blob_index_bytes = 0;

  std::string path() const;
};

// A directory that is followed. A run, if it has files.
struct TreeDirectory {
  TreeDirectory* parent = nullptr;  // nullptr for a log directory.
  std::size_t logdir = 0;           // Index in LogTreeOptions::logdirs.
  std::string path;
  std::string relative;  // Below the log directory; empty for itself.
  bool by_link = false;
  bool is_polled = false;    // Changes of it are not reported.
  bool has_links = false;    // Event files behind links: their changes are not reported either.
  std::optional<FileId> id;  // Nothing until it was listed.
  int watch = -1;
  std::optional<Error> error;
  std::map<std::string, std::unique_ptr<TreeDirectory>, std::less<>> children;
  std::map<std::string, std::shared_ptr<TreeFile>, std::less<>> files;

  // The run made from this directory, and its position; kept by the maker of runs.
  std::shared_ptr<const Run> run;
  std::string run_name;
  bool is_loaded = false;  // All files have been read once.
};

// A file that is new in the tree.
struct OpenedFile {
  std::shared_ptr<FollowedFile> content;
  std::optional<ReadOutcome> stored;  // Result of a first read, if an earlier start stored it.
};

struct LogTreeOptions {
  std::vector<Logdir> logdirs;
  std::size_t max_directories = 1'000'000;
  ChangeWatcher* watcher = nullptr;               // nullptr: everything is polled.
  std::size_t max_watches = DefaultMaxWatches();  // Further directories are polled.
  std::optional<Error> watch_error;  // Why there is no watcher, if there was to be one.
  Workers* workers = nullptr;        // Lists many directories at once.

  // Makes the content of a file, if it is not simply to be read. `path` begins with that of the log
  // directory; `tags` are those of the file before. Called from many threads.
  std::function<OpenedFile(std::size_t logdir, const std::string& path, const FileStatus& seen,
                           TagInfoMemory& tags)>
      open_file;
};

// Not thread-safe.
class LogTree {
 public:
  explicit LogTree(LogTreeOptions options);
  ~LogTree();
  LogTree(const LogTree&) = delete;
  LogTree& operator=(const LogTree&) = delete;

  // Does not watch before StartWatching.
  void ListAll();

  // Watches all directories from now on, and lists them once more, so that no change since the
  // first listing is missed. Watching costs a quarter of a listing, and the first snapshot does not
  // need it.
  void StartWatching();

  // Lists again what the system does not report: directories that are polled, that could not be
  // listed, and log directories that were missing or are not what they were.
  void ListPolled();

  // Looks whether the log directories are still where they were; one call of the system for each.
  void CheckLogdirs();

  // Takes over one report of the watcher.
  void Apply(const Change& change);

  // The files to read since the last call, with `is_listed` reset to false; and the directories
  // whose files have changed.
  std::vector<std::shared_ptr<TreeFile>> TakeFilesToRead();
  std::vector<TreeDirectory*> TakeChangedRuns();

  // The `run_name`s of directories that had one and are gone, since the last call.
  std::vector<std::string> TakeRemovedRuns();

  // Whether runs have changed or gone, or directories can no longer be read, since they were taken.
  bool has_changes() const;

  // To be called when a file has been read: those that the system refused are remembered, and
  // RetryFailed puts them into the list of files to read.
  void RecordError(TreeFile& file);
  void RetryFailed();

  // Puts a file into the list of those to read, unless it is there.
  void ReadAgain(const std::shared_ptr<TreeFile>& file);

  // Puts a directory into the list of changed runs.
  void MarkChanged(TreeDirectory& directory);

  // Forgets the files that have been out of the tree for a while, and returns them.
  std::vector<std::shared_ptr<TreeFile>> DropRemoved(std::chrono::steady_clock::time_point now);

  void ForEachRun(const std::function<void(TreeDirectory&)>& visit);
  std::size_t watch_count() const { return watches_.size(); }

  // Directories that could not be listed, by path.
  std::vector<Error> Unreadable() const;

  // Why some directories are polled although they were to be watched.
  const std::optional<Error>& watch_error() const { return watch_error_; }

 private:
  struct Found {
    Listing listing;
    std::optional<Result<int>> watch;
    std::vector<std::shared_ptr<TreeFile>> files;  // Those of the listing, if they are few and new.
  };
  enum class Which { kAll, kPolled };

  void List(std::vector<TreeDirectory*> level, Which which);
  Found Look(const TreeDirectory& directory, TagInfoMemory& tags) const;
  Result<int> Watch(const TreeDirectory& directory) const;
  std::shared_ptr<TreeFile> OpenFile(const TreeDirectory& directory, const std::string& name,
                                     const FileStatus& status, TagInfoMemory& tags) const;
  bool IsToBeListed(const TreeDirectory& directory, Which which) const;
  bool Update(TreeDirectory& directory, Found found);
  bool Admit(TreeDirectory& directory, FileId id);
  void SetWatch(TreeDirectory& directory, const Found& found);
  bool IsRemoteDevice(const TreeDirectory& directory);
  void UpdateFiles(TreeDirectory& directory, const Found& found);
  void UpdateChildren(TreeDirectory& directory, const std::vector<ListedDirectory>& children);
  void UpdateEntry(TreeDirectory& directory, std::string_view name);
  void PutFile(TreeDirectory& directory, const std::string& name, const FileStatus& status,
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
  mutable std::atomic<std::size_t> watches_left_ = 0;  // While directories are listed.
  std::map<FileId, int> links_;                        // How many links lead to each directory.
  std::map<dev_t, bool> remote_devices_;
  bool is_watching_ = false;
  std::int64_t first_listed_ns_ = 0;  // By the clock of file systems.
  std::size_t directory_count_ = 0;
  bool has_too_many_ = false;
  std::optional<Error> watch_error_;
  std::unordered_set<const TreeDirectory*> unreadable_;  // Those with an error.

  std::vector<std::shared_ptr<TreeFile>> to_read_;
  std::unordered_set<TreeDirectory*> changed_;
  std::vector<std::string> removed_runs_;
  std::vector<std::weak_ptr<TreeFile>> failed_;
  mutable bool has_new_errors_ = false;  // Since Unreadable() was asked.

  // Files that were taken out of the tree a moment ago; renaming puts them back.
  struct Removed {
    std::shared_ptr<TreeFile> file;
    std::chrono::steady_clock::time_point since;
  };
  std::map<FileId, Removed> removed_;
};

}  // namespace cboard::reader
