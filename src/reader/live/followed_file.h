// Reads one event file and follows its growth. Detects when the file was replaced, truncated or
// edited, and then reads it again.
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

// An index that was stored at an earlier start, in memory that `owner` keeps alive.
struct StoredIndex {
  FileStatus status;             // The status of the file when the index was stored.
  std::uint64_t read_bytes = 0;  // The number of bytes that had been read.
  // The CRC of samples of the bytes before `read_bytes`, see FollowedFile.
  std::uint32_t sample_crc = 0;
  bool is_unproven = false;  // The file had grown, and was not compared completely after that.
  EncodedView encoded;
  std::shared_ptr<const void> owner;
};

struct ReadOutcome {
  std::shared_ptr<const FileView> view;  // nullptr if the file does not exist any more.
  FileStatus status;                     // The status of the file before it was read.
  // Increases when the file is read from its beginning again.
  std::uint64_t generation = 0;
  bool from_store = false;         // A part of the view is from a stored index:
  std::uint64_t stored_bytes = 0;  // this number of bytes of the file.
  std::uint64_t scalar_bytes = 0;  // The memory of the index in bytes.
  std::uint64_t blob_index_bytes = 0;

  // When to read the file again even if no change is reported. Reasons: it was not read now because
  // this would take too much of the time, it changed while it was read, or its growth is not
  // proven.
  std::optional<std::chrono::steady_clock::time_point> read_again_at;
};

// Continues reading at the last position if the file has only grown; otherwise reads the file
// again. A file has only grown if
//   - its inode is the same, and the file is not shorter than the part that was read,
//   - it is longer than at the last read, or its modification and status change times are the same
//     (renaming the file changes the latter, so an edit could be hidden by a rename),
//   - samples of the bytes that were read, including damaged places, are the same,
//   - there is no complete record where there was damage: some programs write files from back to
//     front, in several places at once, or into space that was filled with zeros before.
// These are only signs. The proof follows later: some time after a file has grown, the checksums of
// all records that were read before are compared, see SumOfCrcs(). Proofs take at most 1 % of the
// time. Reading again takes at most 10 % of the time, even if a file is overwritten very often.
//
// All methods may be called from any thread; they wait for each other.
class FollowedFile {
 public:
  explicit FollowedFile(std::optional<StoredIndex> stored = {}) : stored_(std::move(stored)) {}

  // Reads the new part of the file at `path`. `seen` is its status from the listing of its
  // directory: a stored index with the same status is used without opening the file. An error of
  // the file system is in the view's `file.error`, beside the data read before.
  ReadOutcome Read(const std::string& path, const FileStatus& seen, const ReadOptions& options);

  // Like Read(), if no other thread uses the file and at most `max_bytes` must be read; otherwise
  // nullopt.
  std::optional<ReadOutcome> TryRead(const std::string& path, const FileStatus& seen,
                                     std::uint64_t max_bytes, const ReadOptions& options);

  // The result of a first Read() if it needs no access to the file, because a stored index with the
  // same status is valid. Otherwise, and after a Read(), nullopt. For `tags`, see
  // FileIndex::Decode().
  std::optional<ReadOutcome> ReadStored(const std::string& path, const FileStatus& seen,
                                        TagInfoMemory& tags);

  // Writes the index to `out`, for StoredIndex::encoded, and returns the other fields. nullopt if
  // the file cannot be recognised later: nothing was read, or reading failed.
  std::optional<StoredIndex> Store(EncodedIndex& out);

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<ReadOutcome> ReadLocked(const std::string& path, const FileStatus& seen,
                                        std::uint64_t max_bytes, const ReadOptions& options);
  std::optional<ReadOutcome> ReadNow(const std::string& path, const FileStatus& seen,
                                     std::uint64_t max_bytes, const ReadOptions& options);
  ReadOutcome WithError(Error error);
  bool IsOther(const FileStatus& now) const;
  bool HasOnlyGrown(const File& file, FileStatus& now, std::optional<Error>& unreadable) const;
  // Returns false if records that were read before have changed.
  bool Prove(const File& file);
  // Reads a short file without damage that nobody has changed for a while, which takes few system
  // calls. False if it is not such a file.
  bool ReadAtOnce(const File& file, const FileStatus& seen, const ReadOptions& options);
  ReadOutcome ReadAll(const std::string& path, const File& file, const FileStatus& now,
                      const ReadOptions& options);
  // Returns false if the file was overwritten during reading, so that the view may mix two files.
  // Appending does not change the bytes at the old end.
  bool ReadUnchanged(const File& file, const FileStatus& now, const ReadOptions& options);
  void TakeStored(const std::string& path, TagInfoMemory& tags);
  void Forget(const std::string& path);
  ReadOutcome Outcome() const;

  std::mutex mutex_;  // Protects all following members.
  std::optional<StoredIndex> stored_;
  std::optional<FileIndex> index_;
  std::string path_;                      // The path that the index knows.
  std::shared_ptr<const FileView> view_;  // nullptr until the file has been read.
  FileStatus status_;                     // The status before the last reading.
  // The status after the last reading: later changes must be growth beyond it.
  FileStatus after_;
  bool is_doubtful_ = false;  // Whether the changes during reading may have been more than growth.
  std::uint32_t sample_crc_ = 0;
  bool is_unproven_ = false;      // The file has grown, and only samples of it were compared.
  Clock::time_point next_proof_;  // The proof does not start before this time.
  // Before this time, the file is not read again for changes in place.
  Clock::time_point next_anew_;
  // Before this time, the file is not read again after an error of the file system.
  Clock::time_point next_retry_;
  bool from_store_ = false;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace cboard::reader
