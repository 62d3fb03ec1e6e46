// Folders on the local disk in which event files wait until a store has them.
//
// Each writer of a run in a bucket has one: <root>/<host>.<pid>.<random>, with a lock, a file with
// the destination, and the event files. The folder of a process that was killed stays, and the next
// writer on this machine sends its content.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.h"
#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::writer {

// The destination of a run's event files, without keys, which are searched for at each start.
struct StoreTarget {
  object_store::ObjectUrl run;
  object_store::StoreOptions options;

  // Reads the options from the environment, for the run at `address` ("s3://bucket/run").
  static Result<StoreTarget> Of(const std::filesystem::path& address);

  // Returns a name of the store that is the same for all runs of a bucket.
  std::string store_name() const;

  // Returns the key of the object called `name` in the run.
  std::string KeyOf(const std::string& name) const;
};

// Returns `configured`, or $XDG_STATE_HOME/compression-board/unsent, or ~/.local/state/… . Fails
// with kFailedPrecondition if none is available.
Result<std::filesystem::path> UnsentRoot(const std::filesystem::path& configured);

// A folder that this object has locked. The folder stays when the object is destroyed.
class UnsentFolder {
 public:
  static Result<UnsentFolder> Create(const std::filesystem::path& root, StoreTarget target);

  // Takes the folders of this machine that no process uses any more.
  static std::vector<UnsentFolder> TakeAbandoned(const std::filesystem::path& root);

  const std::filesystem::path& path() const { return path_; }
  const StoreTarget& target() const { return target_; }

  // Stores the event files of an abandoned folder and removes it. Files that the store already has
  // completely are not sent again, and an incomplete last record is omitted. After a failure, files
  // that are not stored still exist.
  Result<void> Send(object_store::ObjectStore& store) const;

  // Deletes the folder of unsent files with its content.
  void Remove() const;

 private:
  UnsentFolder(std::filesystem::path path, StoreTarget target, FileLock lock)
      : path_(std::move(path)), target_(std::move(target)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  StoreTarget target_;
  FileLock lock_;
};

}  // namespace cboard::writer
