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

// The max number of directories that a program should watch: a quarter of the limit for all
// programs of a user (fs.inotify.max_user_watches), because editors and other tools need some, too.
// At most 65,536, because each watch needs a kilobyte of kernel memory.
std::size_t DefaultMaxWatches();

// Add() may be called from many threads at once, all other methods from one thread.
class ChangeWatcher {
 public:
  // Fails with kResourceExhausted if the user already has too many watchers.
  static Result<std::unique_ptr<ChangeWatcher>> Create();
  ~ChangeWatcher();
  ChangeWatcher(const ChangeWatcher&) = delete;
  ChangeWatcher& operator=(const ChangeWatcher&) = delete;

  // Watches a directory; links are followed. A directory that is already watched gets the same
  // number again, for every path to it. Fails with kResourceExhausted at the system's limit.
  Result<int> Add(const std::string& directory);

  void Remove(int watch);

  // Calls `visit` for every change reported so far; does not wait for changes.
  void ForEachChange(const std::function<void(const Change&)>& visit);

  // A file descriptor for poll() that is readable when there are changes.
  int descriptor() const { return descriptor_; }

 private:
  explicit ChangeWatcher(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard::reader
