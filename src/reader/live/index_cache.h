// Stores the indexes of event files on disk between starts of the program.
//
//   file       := columns* structure* directory trailer   columns begin at multiples of 64 bytes,
//   directory  := entry*                                   structures at multiples of 8
//   entry      := device:u64 inode:u64 size:u64 modified_ns:i64 changed_ns:i64 read_bytes:u64
//                 columns_offset:u64 columns_bytes:u64 structure_offset:u64 structure_bytes:u64
//                 sample_crc:u32 path_bytes:u32 is_unproven:u64 path  padded to 8 bytes
//   trailer    := "CBCACHE4" structures_offset:u64 directory_offset:u64 directory_bytes:u64
//                 directory_crc:u32 crc:u32
//
// Offsets of structures are relative to the first structure. All data that a start needs is at the
// end of the file, so that a few megabytes are read at once. Columns are read and checked when
// points are requested (reader/index/stored_columns.h). The file is read and not mapped: another
// process that truncates it would crash the program (SIGBUS), and could change bytes after the
// check.
//
// A new cache is written to a new file, which then replaces the old one, so that processes with the
// old file open can continue to use it. A damaged cache is treated as missing.
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

// Returns the absolute path of a directory. Spellings that differ only in dots and slashes have the
// same result.
std::string AbsolutePath(const std::filesystem::path& path);

// Returns the path of the cache file for these log directories. Their order does not matter.
std::filesystem::path CachePath(const std::filesystem::path& directory,
                                const std::vector<Logdir>& logdirs);

class CacheFile;  // An open cache, and the memory for its columns.

// The stored indexes of a cache file. May be read from many threads.
class IndexCache {
 public:
  // Opens a cache. Returns null if there is no valid cache. A file that other users could have
  // written is not valid.
  static std::shared_ptr<const IndexCache> Open(const std::filesystem::path& path);

  // Reads a cache that is in memory. `owner` keeps the memory alive. Returns null if the cache is
  // not valid.
  static std::shared_ptr<const IndexCache> Parse(ByteSpan bytes, std::shared_ptr<const void> owner);

  // Returns the stored index of `file`. The index keeps the memory of the cache alive.
  std::optional<StoredIndex> Find(std::string_view file) const;

  // True if columns were loaded that differ from the stored ones.
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
  // The file of the cache; `owner_` keeps it alive. If it is null, the columns are in memory.
  const CacheFile* file_ = nullptr;
  std::unordered_map<std::string_view, StoredIndex> entries_;
};

class IndexCacheWriter {
 public:
  // Creates a temporary file in the directory of `path`, and missing parent directories. Fails with
  // kPermissionDenied if other users can write to the directory.
  static Result<IndexCacheWriter> Create(const std::filesystem::path& path);
  IndexCacheWriter(IndexCacheWriter&&) noexcept = default;
  IndexCacheWriter& operator=(IndexCacheWriter&&) = delete;
  ~IndexCacheWriter();  // Removes the temporary file if Finish() was not called.

  // Adds an index. `index.encoded` is the output of FollowedFile::Store().
  Result<void> Add(std::string_view file, const StoredIndex& index);

  // Replaces the old cache with the new one.
  Result<void> Finish();

 private:
  IndexCacheWriter(File file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)) {}

  std::optional<File> file_;
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;  // The offset of the next columns.
  // The structures and the directory are kept in memory until all columns are written. They are
  // small compared to the columns.
  std::string structures_;
  std::string directory_;
};

}  // namespace cboard::reader
