// The index of one event file: scalars whole, in columns; of everything else where it lies. Grows
// as the file grows, while others look at earlier views of it.
//
//   FileIndex index(path);
//   index.ContinueReading(file, {.workers = &workers});
//   std::shared_ptr<const FileView> view = index.View();
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
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

// One tag of one file. Exactly one of the two column lists has members; several when the file was
// read in several places at once. They belong to FileView::columns.
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

// A point in the file from which on earlier events with a step of `step` or more are void.
struct Restart {
  std::int64_t step = 0;
  bool is_session_start = false;  // A SessionLog START; otherwise a step that went back in a file
                                  // older than "brain.Event:2", which voids only `series`.
  std::uint32_t series = 0;       // Index in FileView::series, if not a session start.

  // Points of each series before the restart; series that are not listed had none. Without a
  // session start, only `series` is listed.
  std::vector<std::uint64_t> counts;
};

// The columns of all tags of a file: one piece of memory for many thousand short ones.
struct FileColumns {
  std::vector<ScalarColumnView> scalars;
  std::vector<BlobColumnView> blobs;
};

struct FileDamage : Damage {
  bool is_record = false;  // The checksums of a record hold here, but it holds no event.
};

struct FileView {
  EventFile file;
  std::vector<SeriesView> series;              // In the order in which they first appear.
  std::shared_ptr<const FileColumns> columns;  // Data of the series; copies of a view share it.
  std::vector<Restart> restarts;               // In the order of the file.
  std::vector<FileDamage> damage;              // The first kMaxReportedDamage places.
  std::uint64_t damage_count = 0;
  std::uint64_t event_count = 0;
  double first_wall_time_seconds = std::numeric_limits<double>::infinity();
  double newest_wall_time_seconds = -std::numeric_limits<double>::infinity();
  std::uint64_t read_bytes = 0;  // Up to here the file has been read.
};

// The same after the file has got another name.
std::shared_ptr<const FileView> WithPath(const FileView& view, const std::string& path);

// An index as bytes. At a start, the structures of all indexes are read at once, and columns only
// on request, so both are stored separately.
struct EncodedIndex {
  std::string structure;
  std::string columns;

  friend bool operator==(const EncodedIndex&, const EncodedIndex&) = default;
};

// Runs pieces of work on several threads: the pool of the log reader, or a fake that runs them in
// place.
class Workers {
 public:
  virtual ~Workers() = default;
  virtual unsigned count() const = 0;

  // Calls task(0) … task(n - 1), some of them at the same time, and returns when all are done. May
  // be called from inside a task.
  virtual void ForEach(std::size_t n, const std::function<void(std::size_t)>& task) = 0;
};

struct ReadOptions {
  Workers* workers = nullptr;  // nullptr: this thread only.

  // Counters that grow while reading, to show progress.
  std::atomic<std::uint64_t>* bytes_read = nullptr;
  std::atomic<std::uint64_t>* events_read = nullptr;

  // Whether files that are in memory may be mapped, see FileWindow. Images, sounds, tensors and
  // histograms are then compared with their checksum in place.
  bool may_map = true;

  // Minimum number of bytes for each part if a file is read in several parts.
  std::uint64_t min_part_bytes = 4 << 20;
};

// Not thread-safe; the views are.
class FileIndex {
 public:
  explicit FileIndex(std::string path);
  ~FileIndex();
  FileIndex(FileIndex&&) noexcept;
  FileIndex& operator=(FileIndex&&) noexcept;

  // An index that was stored with Encode, used in place: `encoded` lives as long as `owner`. Fails
  // with kDataLoss when the structure is damaged; the columns are checked when they are first
  // looked at, and before that by Verify.
  // `tags` are those of the file that was decoded before, and become those of this one.
  static Result<FileIndex> Decode(std::string path, const EncodedView& encoded,
                                  std::shared_ptr<const void> owner, TagInfoMemory& tags);

  // Reads `file` on from where the last call stopped to its present end. The outcome is in the
  // view: `file.error` if the file system refused.
  void ContinueReading(const File& file, const ReadOptions& options);

  // The part that has been read so far. Takes time in proportion to the number of tags, not of
  // points.
  std::shared_ptr<const FileView> View() const;

  // After the file has got another name.
  void Rename(std::string path);

  // Bytes from which Decode makes the same index.
  EncodedIndex Encode() const;

  // Whether the column bytes of a decoded index are those that were stored. If not, it must be
  // neither read on nor encoded.
  bool Verify() const;

  std::uint64_t scalar_bytes() const;  // Memory of columns, spare room included.
  std::uint64_t blob_index_bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cboard::reader
