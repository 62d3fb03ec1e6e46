// Writes a log directory in a bucket. Some commands rename the directories that they write, for
// example a tuning renames its trials. Such commands write to a local directory, and its files are
// copied to the bucket.
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
  // If `logdir` is a bucket address, replaces it by the directory `local`. Send() then copies the
  // files of `local` to the bucket. Otherwise the mirror does nothing.
  static Result<BucketMirror> Open(std::filesystem::path& logdir,
                                   const std::filesystem::path& local);

  // Stores files that are new or have grown, and deletes objects that this mirror stored if their
  // file no longer exists. Also stores files that existed before the command.
  Result<void> Send();

 private:
  std::unique_ptr<object_store::ObjectStore> store_;
  std::string prefix_;
  std::filesystem::path local_;
  std::map<std::string, std::uint64_t> stored_;  // File sizes by object key.
};

}  // namespace cboard::cli
