// Reads log directories of any size, and follows them as they grow.
//
//   CBOARD_ASSIGN_OR_RETURN(auto reader, LogReader::Open({.logdirs = {{.path = "runs"}}}));
//   reader->WaitUntilLoaded();
//   for (const auto& run : reader->snapshot()->runs) Print(run->name, run->tags.size());
//
// Open returns at once. Files are read in the background: several files at a time, and a large file
// by several threads. The newest snapshot contains the data that was read so far. Damage is skipped
// and reported, and reading continues after it. A file that grows is read from the position where
// reading stopped. The data of renamed directories is reused; replaced and truncated files are read
// again.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// A log directory. If it has a name, its runs are named "name/run", otherwise "run". The run of the
// event files in the directory itself is named "name/." or ".".
struct Logdir {
  std::string name;
  std::filesystem::path path;

  friend bool operator==(const Logdir&, const Logdir&) = default;
};

// Parses the argument of --logdir: "runs", "a,b", and globs such as "runs/*/eval"; `~` is expanded.
// An existing path is not parsed, even if it contains commas and stars. Addresses such as
// "s3://bucket/prefix" and "gs://bucket/prefix" are not parsed either; object_store/bucket_copy.h
// reads them. Several directories are named after the last parts of their paths, with as many parts
// as make the names unique. Fails with kNotFound if a glob matches nothing.
Result<std::vector<Logdir>> ParseLogdir(std::string_view text);

// Parses the argument of --logdir_spec: "name:path,name:path". A name may be omitted.
Result<std::vector<Logdir>> ParseLogdirSpec(std::string_view text);

struct ReaderOptions {
  std::vector<Logdir> logdirs;

  // True to follow changes after loading. If false, the reader stops after all files are read.
  bool follow = true;

  // Interval after which directories are listed again if the system does not report changes, as for
  // network file systems or too many directories. 0 means never.
  std::chrono::milliseconds poll_interval{5000};

  // True to use change notifications of the system (inotify). If false, all directories are polled.
  bool watch = true;

  // Number of reading threads. 0 means one per processor.
  unsigned threads = 0;

  // If true, discards data that a restart has made obsolete: all earlier values from the step of
  // the restart on. A restart is a session start in the log or, in old files, a step that
  // decreases.
  bool purge_orphaned_data = true;

  // Directory for stored indexes, which make later starts faster. If it is empty, indexes are not
  // stored. Indexes are checked when they are read, and may be deleted at any time. The reader
  // deletes indexes that were not used for a month, and the oldest ones above 2 GiB.
  std::filesystem::path cache_directory;

  // Maximum number of directories below a log directory. Further directories are skipped and
  // reported. A log directory with more directories is probably the root of a file system, or full
  // of symbolic links.
  std::size_t max_directories = 1'000'000;
};

// Returns $XDG_CACHE_HOME/compression-board, or ~/.cache/compression-board. Returns an empty path
// if there is no home directory.
std::filesystem::path DefaultCacheDirectory();

// Counters of the reader's work, for tests and for /metrics.
struct ReaderStatistics {
  std::uint64_t bytes_read = 0;        // From event files.
  std::uint64_t events_read = 0;       // Without events from a cached index.
  std::uint64_t cached_files = 0;      // Files whose index came from the cache.
  std::uint64_t snapshots = 0;         // Number of published snapshots.
  std::uint64_t scalar_bytes = 0;      // Memory of scalar columns.
  std::uint64_t blob_index_bytes = 0;  // Memory for the index of all other values.
  std::uint64_t watched_directories = 0;
};

// Reads and follows log directories. All methods may be called from any thread.
class LogReader {
 public:
  // Opens log directories. Fails with kInvalidArgument if the list is empty. A missing directory is
  // not an error: Snapshot::unreadable lists it, and it is read when it appears.
  static Result<std::unique_ptr<LogReader>> Open(ReaderOptions options);

  virtual ~LogReader() = default;  // Stops the background threads.

  // Returns the newest snapshot, which is never null. Does not wait for loading.
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;

  // Waits until all data that existed at the start has been read.
  virtual void WaitUntilLoaded() const = 0;

  // Waits for a snapshot newer than `version`, and returns true. Returns false after `timeout`.
  virtual bool WaitForChange(std::uint64_t version, std::chrono::milliseconds timeout) const = 0;

  // Calls `listener` after each new snapshot, on the thread that published it. The listener must be
  // fast and must not wait for the reader. To remove the listener, destroy the returned object;
  // this waits for a current call.
  using Listener = std::function<void(const std::shared_ptr<const Snapshot>&)>;
  [[nodiscard]] virtual std::shared_ptr<void> Listen(Listener listener) = 0;

  // Lists all directories again and reads new data before it returns.
  virtual void Refresh() = 0;

  virtual ReaderStatistics statistics() const = 0;
};

// Reads all files once. Calls `on_progress` on the calling thread, repeatedly and at the end.
Result<std::shared_ptr<const Snapshot>> ReadLogdirs(
    ReaderOptions options, const std::function<void(const LoadProgress&)>& on_progress = {});

// Reads one event file, which may have any name, into a snapshot with the single run ".". Fails
// with kNotFound or kPermissionDenied if the file cannot be opened, and with kInvalidArgument if it
// is a directory.
Result<std::shared_ptr<const Snapshot>> ReadEventFile(const std::filesystem::path& path);

}  // namespace cboard::reader

namespace cboard {
using reader::LogReader;
}  // namespace cboard
