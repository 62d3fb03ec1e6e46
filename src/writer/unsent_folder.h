// Folders on the local disk in which event files wait until a store has them.
//
// Each writer of a run in a bucket has such a folder: <root>/<host>.<pid>.<random>. It contains a
// lock, a file with the destination, and the event files. If a process is killed, its folder stays,
// and the next writer on this machine sends the files.
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

// The destination of a run's event files. It contains no access keys, which are searched for again
// at each start.
struct StoreTarget {
  object_store::ObjectUrl run;
  object_store::StoreOptions options;

  // Returns the target for the run at `address` ("s3://bucket/run"). Reads the options from the
  // environment.
  static Result<StoreTarget> Of(const std::filesystem::path& address);

  // Returns a name of the store. All runs of the same bucket have the same name.
  std::string store_name() const;

  // Returns the key of the object that is called `name` in the run.
  std::string KeyOf(const std::string& name) const;
};

// Returns `configured` if it is not empty, otherwise $XDG_STATE_HOME/compression-board/unsent,
// otherwise ~/.local/state/compression-board/unsent. Fails with kFailedPrecondition if none of them
// is available.
Result<std::filesystem::path> UnsentRoot(const std::filesystem::path& configured);

// A folder of unsent files that this object has locked. The folder stays on the disk when the
// object is destroyed.
class UnsentFolder {
 public:
  static Result<UnsentFolder> Create(const std::filesystem::path& root, StoreTarget target);

  // Locks and returns the folders of this machine that no process uses any more.
  static std::vector<UnsentFolder> TakeAbandoned(const std::filesystem::path& root);

  const std::filesystem::path& path() const { return path_; }
  const StoreTarget& target() const { return target_; }

  // Sends the event files of an abandoned folder to the store and removes the folder. Does not send
  // files that the store already has completely, and omits an incomplete last record. After a
  // failure, files that are not stored still exist.
  Result<void> Send(object_store::ObjectStore& store) const;

  // Deletes the folder and the unsent files in it.
  void Remove() const;

 private:
  UnsentFolder(std::filesystem::path path, StoreTarget target, FileLock lock)
      : path_(std::move(path)), target_(std::move(target)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  StoreTarget target_;
  FileLock lock_;
};

}  // namespace cboard::writer
