// How the log reader uses the cache of indexes.
#include <algorithm>

#include "reader/live/live_reader.h"
#include "reader/live/old_caches.h"

namespace cboard::reader {

// Returns the key of a file in the cache. It is the absolute path, so it does not depend on how the
// user has spelled the log directory.
std::string LiveReader::StoredName(std::size_t logdir, const std::string& path) const {
  const std::string& root = options_.logdirs[logdir].path.native();
  const std::size_t begin = std::min(path.find_first_not_of('/', root.size()), path.size());
  return absolute_logdirs_[logdir] + "/" + path.substr(begin);
}

// Opens a file. If it has not changed since the cache was written, its index is loaded from the
// cache, without the pool.
OpenedFile LiveReader::OpenFile(std::size_t logdir, const std::string& path, const FileStatus& seen,
                                TagInfoMemory& tags) const {
  std::optional<StoredIndex> stored;
  if (cache_) stored = cache_->Find(StoredName(logdir, path));
  OpenedFile file{.content = std::make_shared<FollowedFile>(std::move(stored)), .stored = {}};
  file.stored = file.content->ReadStored(path, seen, tags);
  return file;
}

// True if more than a tenth of the data is not in the cache, or if a part of the cache is damaged.
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

// Writes the cache. Errors (disk full, no permission) are ignored; the next start then finds no
// cache or the old one.
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
  // Removes old caches now, because the cache directory has grown and no client is waiting.
  RemoveOldCaches(cache_path_);
}

}  // namespace cboard::reader
