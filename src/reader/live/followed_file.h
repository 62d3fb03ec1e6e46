// Reads one event file and follows its growth. If the file was replaced, truncated or edited,
// detects this and reads the file again.
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

// An index that an earlier start of the program has stored. `owner` keeps its memory alive.
struct StoredIndex {
  FileStatus status;             // The status of the file when the index was stored.
  std::uint64_t read_bytes = 0;  // The number of bytes that had been read.
  // The checksum of samples of the bytes before `read_bytes`. FollowedFile uses it to recognize the
  // file.
  std::uint32_t sample_crc = 0;
  bool is_unproven = false;  // The file had grown, and was not compared completely after that.
  EncodedView encoded;
  std::shared_ptr<const void> owner;
};

struct ReadOutcome {
  std::shared_ptr<const FileView> view;  // nullptr if the file does not exist any more.
  FileStatus status;                     // The status of the file before it was read.
  // Increases each time the file is read again from its beginning.
  std::uint64_t generation = 0;
  bool from_store = false;         // A part of the view is from a stored index:
  std::uint64_t stored_bytes = 0;  // this number of bytes of the file.
  std::uint64_t scalar_bytes = 0;  // The memory of the index in bytes.
  std::uint64_t blob_index_bytes = 0;

  // The time at which the file must be read again even if no change is reported. It is set if the
  // file was not read now because this would take too much time, if the file changed while it was
  // read, or if its growth is not proven yet.
  std::optional<std::chrono::steady_clock::time_point> read_again_at;
};

// Returns the pause after the checksums of a file were compared, so that comparisons take at most
// 1 % of the time. If the comparison took longer than a disk with 50 MB/s needs, other programs had
// used the CPU or the disk: the pause is then that of such a disk, so that edits are not hidden for
// minutes on a busy machine.
std::chrono::nanoseconds PauseAfterProof(std::chrono::nanoseconds took, std::uint64_t bytes);

// Reads the new part of a file if the file has only grown; otherwise reads the whole file again. A
// file has only grown if all of these conditions are true:
//   - Its inode is the same, and it is not shorter than the part that was read.
//   - It is longer than at the last read, or its modification and status change times are the
//     same. (Renaming the file changes the status change time, so a rename could hide an edit.)
//   - Samples of the bytes that were read, including damaged places, are the same.
//   - There is no complete record where there was damage before. Some programs write files from
//     back to front, in several places at once, or into space that was filled with zeros before.
// These conditions are no proof. Some time after a file has grown, the checksums of all records
// that were read before are compared (see SumOfCrcs()), which proves that no record was edited.
// Proofs take at most 1 % of the time. Reading again takes at most 10 % of the time, even if a file
// is overwritten very often.
//
// All methods may be called from any thread; they wait for each other.
class FollowedFile {
 public:
  explicit FollowedFile(std::optional<StoredIndex> stored = {}) : stored_(std::move(stored)) {}

  // Reads the new part of the file at `path`. `seen` is the status of the file in the listing of
  // its directory. If a stored index has the same status, the file is not opened. If the file
  // system returns an error, it is in the view's `file.error`, and the view still has the data read
  // before.
  ReadOutcome Read(const std::string& path, const FileStatus& seen, const ReadOptions& options);

  // Does the same as Read() if no other thread uses the file and at most `max_bytes` must be read.
  // Otherwise returns nullopt.
  std::optional<ReadOutcome> TryRead(const std::string& path, const FileStatus& seen,
                                     std::uint64_t max_bytes, const ReadOptions& options);

  // Returns the result of a first Read(), if a stored index has the same status, so that the file
  // need not be opened. Returns nullopt otherwise, and after a Read(). FileIndex::Decode()
  // describes `tags`.
  std::optional<ReadOutcome> ReadStored(const std::string& path, const FileStatus& seen,
                                        TagInfoMemory& tags);

  // Writes the index to `out`, for StoredIndex::encoded, and returns the other members. Returns
  // nullopt if the file could not be recognized later, because nothing was read or reading failed.
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
  // Reads a short file with few system calls. Returns false if the file is not short, is damaged,
  // or was changed a short time ago.
  bool ReadAtOnce(const File& file, const FileStatus& seen, const ReadOptions& options);
  ReadOutcome ReadAll(const std::string& path, const File& file, const FileStatus& now,
                      const ReadOptions& options);
  // Reads the new part of the file. Returns false if the file was overwritten during reading, so
  // that the view may mix two files. Appending to the file does not change the bytes at its old
  // end.
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
  // The status after the last reading. A later change of the file must be growth.
  FileStatus after_;
  bool is_doubtful_ = false;  // Whether the changes during reading may have been more than growth.
  std::uint32_t sample_crc_ = 0;
  bool is_unproven_ = false;      // The file has grown, and only samples of it were compared.
  Clock::time_point next_proof_;  // The proof does not start before this time.
  // Until this time, the file is not read again from its beginning because of edits.
  Clock::time_point next_anew_;
  // Before this time, the file is not read again after an error of the file system.
  Clock::time_point next_retry_;
  bool from_store_ = false;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace cboard::reader
