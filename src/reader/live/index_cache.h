// Indexes of event files, kept on disk between starts.
//
//   file       := columns* structure* directory trailer   columns begin at multiples of 64 bytes,
//   directory  := entry*                                   structures at multiples of 8
//   entry      := device:u64 inode:u64 size:u64 modified_ns:i64 changed_ns:i64 read_bytes:u64
//                 columns_offset:u64 columns_bytes:u64 structure_offset:u64 structure_bytes:u64
//                 sample_crc:u32 path_bytes:u32 path  padded to 8 bytes
//   trailer    := "CBCACHE3" structures_offset:u64 directory_offset:u64 directory_bytes:u64
//                 directory_crc:u32 crc:u32
//
// Offsets of structures start at the first structure. All data that a start needs is at the end,
// together: a few megabytes that are read at once. Columns are read, and checked, when points are
// requested (reader/index/stored_columns.h). The file is read and not mapped: another process that
// truncates it would crash the program (SIGBUS), and could change bytes after the check.
//
// A cache is written to a new file that then takes the place of the old one, so that processes that
// have opened the old one keep it. Anything wrong with a cache means that there is none.
//
// Names of runs, tags and values are private, and a user who can write to the directory could store
// other values: directories have mode 0700, files 0600.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/reader/log_reader.h"
#include "reader/live/followed_file.h"

namespace cboard::reader {

// A path from the root, the same for all spellings of a directory that differ in dots and slashes.
std::string AbsolutePath(const std::filesystem::path& path);

// The file for these log directories, in any order.
std::filesystem::path CachePath(const std::filesystem::path& directory,
                                const std::vector<Logdir>& logdirs);

class CacheFile;  // An open cache, and room for its columns.

// Readable from many threads.
class IndexCache {
 public:
  // nullptr if there is none, or none that can be used: also a file that others could have written.
  static std::shared_ptr<const IndexCache> Open(const std::filesystem::path& path);

  // The same for a cache in memory that `owner` keeps alive.
  static std::shared_ptr<const IndexCache> Parse(ByteSpan bytes, std::shared_ptr<const void> owner);

  // The stored index of the file; keeps the memory of the cache alive.
  std::optional<StoredIndex> Find(std::string_view file) const;

  // True if columns differ from the stored ones.
  bool is_damaged() const;

  std::size_t file_count() const { return entries_.size(); }
  void ForEachFile(const std::function<void(std::string_view file)>& visit) const {
    for (const auto& [file, stored] : entries_) visit(file);
  }

 private:
  IndexCache() = default;
  static std::shared_ptr<const IndexCache> Parse(ByteSpan columns, ByteSpan rest,
                                                 std::shared_ptr<const void> owner,
                                                 const CacheFile* file);
  bool ParseDirectory(ByteSpan directory, ByteSpan columns, ByteSpan structures);

  std::shared_ptr<const void> owner_;
  const CacheFile* file_ = nullptr;  // Kept by the owner; nullptr: the columns are in memory.
  std::unordered_map<std::string_view, StoredIndex> entries_;
};

class IndexCacheWriter {
 public:
  // Writes beside `path`, whose parents are created. Fails with kPermissionDenied when others can
  // write to its directory.
  static Result<IndexCacheWriter> Create(const std::filesystem::path& path);
  IndexCacheWriter(IndexCacheWriter&&) noexcept = default;
  IndexCacheWriter& operator=(IndexCacheWriter&&) = delete;
  ~IndexCacheWriter();  // Leaves nothing behind unless finished.

  // `index.encoded` is what FollowedFile::Store has made.
  Result<void> Add(std::string_view file, const StoredIndex& index);

  // Replaces the old cache with the new one.
  Result<void> Finish();

 private:
  IndexCacheWriter(File file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)) {}

  std::optional<File> file_;
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;  // Where the next columns begin.
  std::string structures_;    // Until all columns are written: a few bytes for a hundred of those.
  std::string directory_;
};

}  // namespace cboard::reader
