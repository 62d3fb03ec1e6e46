// Reports of the operating system about changes in directories (Linux's inotify).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::reader {

enum class ChangeKind {
  kContent,    // A file may have grown, shrunk, or become readable.
  kEntry,      // A name has appeared or vanished, or now belongs to something else.
  kDirectory,  // The watched directory itself is gone or has another name.
  kLost,       // The system could not keep up: anything may have changed.
};

struct Change {
  ChangeKind kind = ChangeKind::kLost;
  int watch = -1;         // As Add returned it; of no meaning for kLost.
  std::string_view name;  // In the watched directory; empty for kDirectory and kLost.
};

// How many directories a program should watch at most: a quarter of the watches that a user may
// have in all programs (fs.inotify.max_user_watches), because editors and other tools need some,
// too; and not more than 65,536, each of which takes a kilobyte of the system's memory.
std::size_t DefaultMaxWatches();

// Add may be called from many threads at once, the rest from one.
class ChangeWatcher {
 public:
  // Fails with kResourceExhausted when the user has too many watchers already.
  static Result<std::unique_ptr<ChangeWatcher>> Create();
  ~ChangeWatcher();
  ChangeWatcher(const ChangeWatcher&) = delete;
  ChangeWatcher& operator=(const ChangeWatcher&) = delete;

  // Watches a directory, links followed. Watching one that is watched already gives the same
  // number, whatever path leads to it. Fails with kResourceExhausted at the system's limit.
  Result<int> Add(const std::string& directory);

  void Remove(int watch);

  // Calls `visit` for every change reported so far; does not wait for one.
  void ForEachChange(const std::function<void(const Change&)>& visit);

  // Readable when there are changes; for poll().
  int descriptor() const { return descriptor_; }

 private:
  explicit ChangeWatcher(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard::reader
