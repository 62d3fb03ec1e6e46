// Reads log directories of any size, and follows them as they grow.
//
//   CBOARD_ASSIGN_OR_RETURN(auto reader, LogReader::Open({.logdirs = {{.path = "runs"}}}));
//   reader->WaitUntilLoaded();
//   for (const auto& run : reader->snapshot()->runs) Print(run->name, run->tags.size());
//
// Open returns at once. Files are read in the background, several at a time and large ones by
// several threads; the newest snapshot contains the data so far. Damage does not stop reading: it
// is skipped and reported. A growing file is read from the position where reading stopped. The data
// of renamed directories is reused; replaced and truncated files are read again.
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

// A log directory. If it has a name, its runs are named "name/run", otherwise "run"; the run of
// event files in the directory itself is "name/." or ".".
struct Logdir {
  std::string name;
  std::filesystem::path path;

  friend bool operator==(const Logdir&, const Logdir&) = default;
};

// Parses the argument of --logdir: "runs", "a,b", and globs such as "runs/*/eval"; `~` is expanded.
// An existing path is not parsed, even if it contains commas and stars. "s3://bucket/prefix" and
// "gs://bucket/prefix" are not parsed either; object_store/bucket_copy.h reads them. Several
// directories are named after the last parts of their paths, as many as make the names unique.
// Fails with kNotFound if a glob matches nothing.
Result<std::vector<Logdir>> ParseLogdir(std::string_view text);

// Parses the argument of --logdir_spec, "name:path,name:path"; a name may be omitted.
Result<std::vector<Logdir>> ParseLogdirSpec(std::string_view text);

struct ReaderOptions {
  std::vector<Logdir> logdirs;

  // True to follow changes after loading. If false, the reader stops after everything is loaded.
  bool follow = true;

  // Interval at which directories are listed again if the system does not report changes (network
  // file systems, too many directories). 0: never.
  std::chrono::milliseconds poll_interval{5000};

  // True to use change notifications of the system (inotify). If false, all directories are polled.
  bool watch = true;

  // Number of reading threads; 0: one per processor.
  unsigned threads = 0;

  // If true, discards data from before a restart: after a session start in the log, or a step that
  // decreases in old files, earlier values from that step on are discarded.
  bool purge_orphaned_data = true;

  // Directory for indexes, so that later starts are faster; empty: none. Indexes are checked when
  // they are read, and may be deleted at any time. Indexes unused for a month, and indexes beyond 2
  // GiB, are deleted.
  std::filesystem::path cache_directory;

  // Maximum number of directories below a log directory; the others are skipped and reported. A log
  // directory with more is probably the root of a file system, or full of symbolic links.
  std::size_t max_directories = 1'000'000;
};

// Returns $XDG_CACHE_HOME/compression-board, or ~/.cache/compression-board; empty if there is no
// home directory.
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
  // not an error: it is reported in Snapshot::unreadable, and read when it appears.
  static Result<std::unique_ptr<LogReader>> Open(ReaderOptions options);

  virtual ~LogReader() = default;  // Stops the background threads.

  // Returns the newest snapshot; never null. Does not wait for loading.
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;

  // Waits until all data has been read that existed at the start.
  virtual void WaitUntilLoaded() const = 0;

  // Waits for a snapshot newer than `version` (true), or until `timeout` (false).
  virtual bool WaitForChange(std::uint64_t version, std::chrono::milliseconds timeout) const = 0;

  // Calls `listener` after each new snapshot, on the thread that published it. The listener must be
  // fast and must not wait for the reader. Destroying the returned object removes the listener,
  // after waiting for a current call.
  using Listener = std::function<void(const std::shared_ptr<const Snapshot>&)>;
  [[nodiscard]] virtual std::shared_ptr<void> Listen(Listener listener) = 0;

  // Lists all directories again and reads new data before it returns.
  virtual void Refresh() = 0;

  virtual ReaderStatistics statistics() const = 0;
};

// Reads everything once. Calls `on_progress` on the calling thread, repeatedly and at the end.
Result<std::shared_ptr<const Snapshot>> ReadLogdirs(
    ReaderOptions options, const std::function<void(const LoadProgress&)>& on_progress = {});

// Reads one event file, whatever its name, into a snapshot with the single run ".". Fails with
// kNotFound or kPermissionDenied if it cannot be opened, and with kInvalidArgument if it is a
// directory.
Result<std::shared_ptr<const Snapshot>> ReadEventFile(const std::filesystem::path& path);

}  // namespace cboard::reader

namespace cboard {
using reader::LogReader;
}  // namespace cboard
