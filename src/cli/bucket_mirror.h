// A log directory in a bucket for commands that rename the directories they write, as a tuning does
// with its trials: they write to a local folder, and its files are copied to the bucket.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::cli {

class BucketMirror {
 public:
  // If `logdir` is the address of a bucket, replaces it by `local`, whose files Send() copies. Else
  // the mirror does nothing.
  static Result<BucketMirror> Open(std::filesystem::path& logdir,
                                   const std::filesystem::path& local);

  // Stores files that are new or have grown, and deletes objects whose file this mirror had stored
  // and is gone. Files that were there before the command are stored too.
  Result<void> Send();

 private:
  std::unique_ptr<object_store::ObjectStore> store_;
  std::string prefix_;
  std::filesystem::path local_;
  std::map<std::string, std::uint64_t> stored_;  // Sizes by key.
};

}  // namespace cboard::cli
