#include "cli/bucket_mirror.h"

#include "cboard/base/file.h"

namespace cboard::cli {

namespace fs = std::filesystem;

Result<BucketMirror> BucketMirror::Open(fs::path& logdir, const fs::path& local) {
  BucketMirror mirror;
  if (!object_store::IsObjectUrl(logdir.native())) return mirror;
  CBOARD_ASSIGN_OR_RETURN(const object_store::ObjectUrl url,
                          object_store::ParseObjectUrl(logdir.native()));
  CBOARD_ASSIGN_OR_RETURN(
      mirror.store_,
      object_store::ObjectStore::Open(url, object_store::StoreOptions::FromEnvironment(url)));
  // Tests access now: a wrong key or a missing bucket ends the command before its work, not after
  // it.
  CBOARD_RETURN_IF_ERROR(mirror.store_->List(url.prefix, {}));
  mirror.prefix_ = url.prefix.empty() ? "" : url.prefix + "/";
  mirror.local_ = local;
  logdir = local;
  return mirror;
}

Result<void> BucketMirror::Send() {
  if (!store_) return {};
  std::map<std::string, std::uint64_t> present;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(local_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    const std::string key = prefix_ + entry->path().lexically_relative(local_).generic_string();
    CBOARD_ASSIGN_OR_RETURN(const std::string content, ReadFile(entry->path()));
    present[key] = content.size();
    if (const auto known = stored_.find(key);
        known != stored_.end() && known->second == content.size()) {
      continue;
    }
    CBOARD_RETURN_IF_ERROR(store_->Put(key, content));
    stored_[key] = content.size();
  }
  for (auto entry = stored_.begin(); entry != stored_.end();) {
    if (present.contains(entry->first)) {
      ++entry;
      continue;
    }
    CBOARD_RETURN_IF_ERROR(store_->Delete(entry->first));
    entry = stored_.erase(entry);
  }
  return {};
}

}  // namespace cboard::cli
