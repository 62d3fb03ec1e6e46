// The use of the cache of indexes by the log reader.
#include <algorithm>

#include "reader/live/live_reader.h"
#include "reader/live/old_caches.h"

namespace cboard::reader {

// The key of a file in the cache: its absolute path, independent of how the log directory was
// named.
std::string LiveReader::StoredName(std::size_t logdir, const std::string& path) const {
  const std::string& root = options_.logdirs[logdir].path.native();
  const std::size_t begin = std::min(path.find_first_not_of('/', root.size()), path.size());
  return absolute_logdirs_[logdir] + "/" + path.substr(begin);
}

// A file that has not changed since the cache was written is loaded without the pool.
OpenedFile LiveReader::OpenFile(std::size_t logdir, const std::string& path, const FileStatus& seen,
                                TagInfoMemory& tags) const {
  std::optional<StoredIndex> stored;
  if (cache_) stored = cache_->Find(StoredName(logdir, path));
  OpenedFile file{.content = std::make_shared<FollowedFile>(std::move(stored)), .stored = {}};
  file.stored = file.content->ReadStored(path, seen, tags);
  return file;
}

// Whether more than a tenth of the data is not in the cache, or a part of the cache is damaged.
bool LiveReader::IsCacheStale() const {
  if (cache_path_.empty()) return false;
  if (cache_ && cache_->is_damaged()) return true;
  const std::uint64_t new_bytes = bytes_read_ - stored_at_bytes_;
  return new_bytes > (bytes_read_ + cached_bytes_) / 10;
}

LiveReader::StoreList LiveReader::FilesToStore() {
  StoreList files;
  tree_->ForEachRun([&](const TreeDirectory& directory) {
    for (const auto& [name, file] : directory.files) {
      files.emplace_back(StoredName(directory.logdir, file->path()), file->content);
    }
  });
  return files;
}

// A cache that cannot be written (disk full, no permission) is treated as missing.
void LiveReader::WriteCache(const StoreList& files, bool may_stop) {
  const std::uint64_t bytes_read = bytes_read_;
  Result<IndexCacheWriter> writer = IndexCacheWriter::Create(cache_path_);
  if (!writer) return;
  EncodedIndex encoded;
  for (const auto& [name, file] : files) {
    if (may_stop && is_stopping_) return;
    std::optional<StoredIndex> stored = file->Store(encoded);
    if (!stored) continue;
    stored->encoded = {AsBytes(encoded.structure), AsBytes(encoded.columns)};
    if (!writer->Add(name, *stored)) return;
  }
  if (!writer->Finish()) return;
  stored_at_bytes_ = bytes_read;
  // Old caches are removed here, because the cache directory has grown and no client waits.
  RemoveOldCaches(cache_path_);
}

}  // namespace cboard::reader
