// One event file that is read on as it grows, whatever happens to it meanwhile.
//
//   FollowedFile file(cached);
//   ReadOutcome outcome = file.Read(path, status, {.workers = &pool});
//   if (outcome.view) Show(*outcome.view);
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "reader/index/file_index.h"
#include "reader/live/list_directory.h"

namespace cboard::reader {

// An index from an earlier start, in memory that `owner` keeps.
struct StoredIndex {
  FileStatus status;             // Status of the file when the index was stored.
  std::uint64_t read_bytes = 0;  // How much of it had been read.
  std::uint32_t sample_crc = 0;  // CRC of sampled bytes before that offset, see FollowedFile.
  EncodedView encoded;
  std::shared_ptr<const void> owner;
};

struct ReadOutcome {
  std::shared_ptr<const FileView> view;  // nullptr if the file has vanished.
  FileStatus status;                     // Status of the file that was read, before reading.
  std::uint64_t generation = 0;          // Grows when the file is read from its beginning again.
  bool from_store = false;               // Some of the view comes from a stored index:
  std::uint64_t stored_bytes = 0;        // so many bytes of the file.
  std::uint64_t scalar_bytes = 0;        // Memory of the index.
  std::uint64_t blob_index_bytes = 0;

  // When to read the file again even if nobody reports a change of it: it was not read now because
  // that would take too much of the time, or it changed while it was read.
  std::optional<std::chrono::steady_clock::time_point> read_again_at;
};

// A file is read on from where reading stopped if it has only grown, and read again otherwise. It
// has only grown if
//   - the inode is the same and the file is not shorter than what was read of it,
//   - it is longer than when it was last read, or its times of change are the same (a new name of the
//     file, though not one of its directory, is such a change: an edit could hide behind it),
//   - samples of the bytes that were read, and those of damaged places, are the same,
//   - no whole record lies where there was damage: files are also written back to front, in several
//     places at once, and into room that was filled with zeros before.
// Reading again takes at most a tenth of the time, however often a file is written over.
//
// All methods may be called from any thread; they wait for each other.
class FollowedFile {
 public:
  explicit FollowedFile(std::optional<StoredIndex> stored = {}) : stored_(std::move(stored)) {}

  // Reads the new part of the file at `path`. `seen` is its status as its directory shows it: a
  // stored index with the same status is believed without opening the file. An error of the file
  // system is in the view's `file.error`, beside the data read before.
  ReadOutcome Read(const std::string& path, const FileStatus& seen, const ReadOptions& options);

  // The same if no other thread uses the file and at most `max_bytes` must be read; nullopt
  // otherwise.
  std::optional<ReadOutcome> TryRead(const std::string& path, const FileStatus& seen,
                                     std::uint64_t max_bytes, const ReadOptions& options);

  // The result of a first Read if it needs no access to the file, because a stored index with the
  // same status is valid. Otherwise, and after a Read, nullopt. For `tags` see FileIndex::Decode.
  std::optional<ReadOutcome> ReadStored(const std::string& path, const FileStatus& seen,
                                        TagInfoMemory& tags);

  // Writes the index to `out`, for StoredIndex::encoded, and fills in the rest. nullopt if the file
  // cannot be recognised later: nothing was read, or reading failed.
  std::optional<StoredIndex> Store(EncodedIndex& out);

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<ReadOutcome> ReadLocked(const std::string& path, const FileStatus& seen,
                                        std::uint64_t max_bytes, const ReadOptions& options);
  bool IsOther(const FileStatus& now) const;
  bool HasOnlyGrown(const File& file, FileStatus& now) const;
  ReadOutcome ReadAll(const std::string& path, const File& file, const FileStatus& now,
                      const ReadOptions& options);
  // False if the file was overwritten meanwhile, so that beginning and end may be of different
  // files. Appending does not change the bytes at the old end.
  bool ReadUnchanged(const File& file, const FileStatus& now, const ReadOptions& options);
  void TakeStored(const std::string& path, TagInfoMemory& tags);
  void Forget(const std::string& path);
  ReadOutcome Outcome() const;

  std::mutex mutex_;  // Guards all of the following.
  std::optional<StoredIndex> stored_;
  std::optional<FileIndex> index_;
  std::string path_;                      // That the index knows.
  std::shared_ptr<const FileView> view_;  // nullptr until the file has been read.
  FileStatus status_;                     // Before the last reading.
  FileStatus after_;                      // After it: later changes must be growth beyond this.
  bool is_doubtful_ = false;  // Changes while it was read may have been more than growth.
  std::uint32_t sample_crc_ = 0;
  // Before this time, the file is not read again for changes in place.
  Clock::time_point next_anew_;
  bool from_store_ = false;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace cboard::reader
