// The index of one event file. It contains all scalars in columns, and the positions of all other
// values. The index grows with the file, while other threads read earlier views of it.
//
//   FileIndex index(path);
//   index.ContinueReading(file, {.workers = &workers});
//   std::shared_ptr<const FileView> view = index.View();
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"
#include "reader/index/blob_column.h"
#include "reader/index/scalar_column.h"
#include "reader/index/stored_columns.h"
#include "reader/index/tag_info_table.h"

namespace cboard::reader {

// One tag of one file. Either `scalars` or `blobs` is empty. The other list has several columns if
// the file was read in several parts. The columns belong to FileView::columns.
struct SeriesView {
  std::shared_ptr<const TagInfo> info;
  std::span<const ScalarColumnView> scalars;
  std::span<const BlobColumnView> blobs;
  std::int64_t min_step = 0;
  std::int64_t max_step = 0;
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::uint32_t mismatched_count = 0;
  bool steps_ascend = true;
};

// A restart of the training: a position in the file. It makes all earlier events invalid whose step
// is `step` or larger.
struct Restart {
  std::int64_t step = 0;
  // True for a SessionLog START. False for a decreasing step in a file older than "brain.Event:2";
  // such a restart affects only the series number `series`.
  bool is_session_start = false;
  // Index in FileView::series. Not used for a session start.
  std::uint32_t series = 0;

  // The number of points of each series before the restart; 0 for series that are not in the list.
  // If the restart is not a session start, the list has only the count of `series`.
  std::vector<std::uint64_t> counts;
};

// The columns of all tags of a file. They are in one allocation, because a file may have many
// thousand short columns.
struct FileColumns {
  std::vector<ScalarColumnView> scalars;
  std::vector<BlobColumnView> blobs;
};

struct FileDamage : Damage {
  // True if the checksums of a record are valid at this position, but its payload is not an event.
  bool is_record = false;
};

struct FileView {
  EventFile file;
  std::vector<SeriesView> series;              // In the order of the first value of each tag.
  std::shared_ptr<const FileColumns> columns;  // The data of the series; copies of a view share it.
  std::vector<Restart> restarts;               // In the order of their position in the file.
  std::vector<FileDamage> damage;              // The first kMaxReportedDamage places.
  std::uint64_t damage_count = 0;
  std::uint64_t event_count = 0;
  std::uint64_t crc_sum = 0;  // The sum of the payload checksums of all records, see SumOfCrcs().
  double first_wall_time_seconds = std::numeric_limits<double>::infinity();
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();
  std::uint64_t read_bytes = 0;  // The file has been read up to this position.
};

// Returns the sum of the payload checksums of all complete records in the first `end` bytes, like
// FileView::crc_sum. The sum differs from that of a view if the file was edited after the view was
// made. Returns nullopt if the file could not be read.
std::optional<std::uint64_t> SumOfCrcs(const File& file, std::uint64_t end);

// Returns a copy of the view with another path, for a file that was renamed.
std::shared_ptr<const FileView> WithPath(const FileView& view, const std::string& path);

// A file index as bytes, in two parts. When the program starts, it reads the `structure` of all
// indexes. It reads `columns` only when they are needed.
struct EncodedIndex {
  std::string structure;
  std::string columns;

  friend bool operator==(const EncodedIndex&, const EncodedIndex&) = default;
};

// Runs tasks on several threads. The thread pool of the log reader implements it; in tests, a fake
// runs the tasks on the calling thread.
class Workers {
 public:
  virtual ~Workers() = default;
  virtual unsigned count() const = 0;

  // Calls task(0) … task(n - 1), some of them at the same time. Returns when all calls have
  // returned. May be called from inside a task.
  virtual void ForEach(std::size_t n, const std::function<void(std::size_t)>& task) = 0;
};

struct ReadOptions {
  Workers* workers = nullptr;  // nullptr: read in the calling thread only.

  // Counters of the progress. They increase during reading.
  std::atomic<std::uint64_t>* bytes_read = nullptr;
  std::atomic<std::uint64_t>* events_read = nullptr;

  // True if files may be mapped into memory (see FileWindow). Images, sounds, tensors and
  // histograms are then verified without copying their bytes.
  bool may_map = true;

  // The delay between the growth of a file and the comparison of the whole file with its index (see
  // FollowedFile).
  std::chrono::milliseconds prove_after = std::chrono::seconds(10);

  // Minimum age of the last change of a file. If it is older, the next change is certain to give
  // the file another modification time, on all file systems in use.
  std::chrono::milliseconds settled_after = std::chrono::seconds(2);

  // Minimum number of bytes per part if a file is read in several parts.
  std::uint64_t min_part_bytes = 4 << 20;
};

// Reads one event file and creates views of its index. Not thread-safe, but any thread may read the
// views.
class FileIndex {
 public:
  explicit FileIndex(std::string path);
  ~FileIndex();
  FileIndex(FileIndex&&) noexcept;
  FileIndex& operator=(FileIndex&&) noexcept;

  // Decodes an index that was stored with Encode(). The index uses the bytes of `encoded` without
  // copying them, and `owner` keeps these bytes alive. Fails with kDataLoss if the structure is
  // damaged. The columns are checked at their first use, or by Verify(). `tags` contains the tags
  // of the file that was decoded before; it gets the tags of this file.
  static Result<FileIndex> Decode(std::string path, const EncodedView& encoded,
                                  std::shared_ptr<const void> owner, TagInfoMemory& tags);

  // Reads `file` from the position where the last call stopped to the current end. If the file
  // system returns an error, the view has it in `file.error`. If nothing was read before, `content`
  // may be the bytes of the file (see ShortFile); only damaged bytes are then read again.
  void ContinueReading(const File& file, const ReadOptions& options, ByteSpan content = {});

  // Returns a view of all data that was read. Takes time in proportion to the number of tags, not
  // of points.
  std::shared_ptr<const FileView> View() const;

  // Releases all memory that the next view does not need, until the file is read again. This saves
  // most of the memory if tags have few points.
  void Compact();

  // Sets the path after the file was renamed.
  void Rename(std::string path);

  // Returns the bytes from which Decode() restores this index.
  EncodedIndex Encode() const;

  // True if the columns of a decoded index equal the stored ones. If not, the index must not be
  // continued and not be encoded.
  bool Verify() const;

  // These functions return the memory of the columns in bytes, including unused space.
  std::uint64_t scalar_bytes() const;
  std::uint64_t blob_index_bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cboard::reader
