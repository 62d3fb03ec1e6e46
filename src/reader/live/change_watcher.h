// Reports changes in directories, using Linux's inotify.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::reader {

enum class ChangeKind {
  kContent,    // A file may have grown, been truncated, or become readable.
  kEntry,      // A name has appeared or vanished, or now refers to another file.
  kDirectory,  // The watched directory itself was removed or renamed.
  kLost,       // The system has lost reports: anything may have changed.
};

struct Change {
  ChangeKind kind = ChangeKind::kLost;
  int watch = -1;         // The number that Add() returned; undefined for kLost.
  std::string_view name;  // The name in the watched directory; empty for kDirectory and kLost.
};

// Returns the maximum number of directories that a program should watch. It is a quarter of the
// limit for all programs of a user (fs.inotify.max_user_watches), because editors and other tools
// need watches too. It is at most 65,536, because each watch needs a kilobyte of kernel memory.
std::size_t DefaultMaxWatches();

// Reports changes in directories. Add() may be called from many threads at the same time, all other
// methods only from one thread.
class ChangeWatcher {
 public:
  // Creates a watcher. Fails with kResourceExhausted if the user already has too many watchers.
  static Result<std::unique_ptr<ChangeWatcher>> Create();
  ~ChangeWatcher();
  ChangeWatcher(const ChangeWatcher&) = delete;
  ChangeWatcher& operator=(const ChangeWatcher&) = delete;

  // Watches a directory and returns the number of the watch. Follows symbolic links. If the
  // directory is already watched, also under another path, returns the same number again. Fails
  // with kResourceExhausted if the system's limit is reached.
  Result<int> Add(const std::string& directory);

  void Remove(int watch);

  // Calls `visit` for each change that was reported so far. Does not wait for changes.
  void ForEachChange(const std::function<void(const Change&)>& visit);

  // Returns a file descriptor for poll(). It is readable when there are changes.
  int descriptor() const { return descriptor_; }

 private:
  explicit ChangeWatcher(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard::reader
