// Reads log directories of any size, and follows them as they grow.
//
//   CBOARD_ASSIGN_OR_RETURN(auto reader, LogReader::Open({.logdirs = {{.path = "runs"}}}));
//   reader->WaitUntilLoaded();
//   for (const auto& run : reader->snapshot()->runs) Print(run->name, run->tags.size());
//
// Open returns at once; files are read in the background, several at a time and large ones in
// several places at once, and what has been read so far is in the newest snapshot. Damage never
// ends reading: it is skipped and reported. Growing files are read on from where reading stopped;
// renamed directories keep what was read of them; replaced and shortened files are read again.
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

// A directory to read. With a name its runs are "name/run", without "run"; "name/." and "." if
// event files lie in the directory itself.
struct Logdir {
  std::string name;
  std::filesystem::path path;

  friend bool operator==(const Logdir&, const Logdir&) = default;
};

// "runs", "a,b" and globs such as "runs/*/eval", as --logdir takes them; `~` is expanded. A path
// that exists is taken as it is, commas and stars included. So is "s3://bucket/prefix" or
// "gs://bucket/prefix", which the reader itself does not read: see object_store/bucket_copy.h. Several directories are named after
// the last parts of their paths, as many as it takes to tell them apart. Fails with kNotFound when
// a glob matches nothing.
Result<std::vector<Logdir>> ParseLogdir(std::string_view text);

// "name:path,name:path", as --logdir_spec takes it; a name may be left out.
Result<std::vector<Logdir>> ParseLogdirSpec(std::string_view text);

struct ReaderOptions {
  std::vector<Logdir> logdirs;

  // Follow changes after loading. Without it the reader stops once everything is loaded.
  bool follow = true;

  // How often directories are listed again where the system does not report changes (network
  // file systems, too many directories). 0: never.
  std::chrono::milliseconds poll_interval{5000};

  // Whether to ask the system for reports of changes (inotify). Off, everything is polled.
  bool watch = true;

  // 0: one per processor.
  unsigned threads = 0;

  // A restart (a session start in the log, or in old files a step that goes back) makes void what
  // was logged from that step on.
  bool purge_orphaned_data = true;

  // Where indexes of what was read are kept between starts; empty: nowhere. They are checked, and
  // may be deleted at any time; those that were not used for a month, or are beyond 2 GiB, are.
  std::filesystem::path cache_directory;

  // More directories than this below a log directory are not looked into, and reported: it is
  // probably the root of a file system, or full of symbolic links.
  std::size_t max_directories = 1'000'000;
};

// $XDG_CACHE_HOME/compression-board, or ~/.cache/compression-board; empty without a home.
std::filesystem::path DefaultCacheDirectory();

// Counters of the reader's work, for tests and for /metrics.
struct ReaderStatistics {
  std::uint64_t bytes_read = 0;        // From event files.
  std::uint64_t events_read = 0;       // Not counting those that came from a cache.
  std::uint64_t cached_files = 0;      // Files whose index came from the cache.
  std::uint64_t snapshots = 0;         // Published.
  std::uint64_t scalar_bytes = 0;      // Memory of scalar columns.
  std::uint64_t blob_index_bytes = 0;  // Memory of the index of everything else.
  std::uint64_t watched_directories = 0;
};

// All methods may be called from any thread.
class LogReader {
 public:
  // Fails with kInvalidArgument when there is no log directory to read. One that is missing is not
  // an error: it is waited for, and reported in Snapshot::unreadable.
  static Result<std::unique_ptr<LogReader>> Open(ReaderOptions options);

  virtual ~LogReader() = default;  // Stops the background threads.

  // The newest snapshot; never null. Does not wait for loading.
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;

  // Returns when all that was there at the start has been read.
  virtual void WaitUntilLoaded() const = 0;

  // Returns when a snapshot newer than `version` is there (true), or after `timeout` (false).
  virtual bool WaitForChange(std::uint64_t version, std::chrono::milliseconds timeout) const = 0;

  // Calls `listener` after each new snapshot, from the thread that made it: it must be quick and
  // must not wait for the reader. Stops when the returned object is destroyed, which waits for a
  // call that is under way.
  using Listener = std::function<void(const std::shared_ptr<const Snapshot>&)>;
  [[nodiscard]] virtual std::shared_ptr<void> Listen(Listener listener) = 0;

  // Lists everything again and reads what is new, before returning.
  virtual void Refresh() = 0;

  virtual ReaderStatistics statistics() const = 0;
};

// Reads everything once. `on_progress` is called in the calling thread: now and then, and last.
Result<std::shared_ptr<const Snapshot>> ReadLogdirs(
    ReaderOptions options, const std::function<void(const LoadProgress&)>& on_progress = {});

// Reads one event file, whatever its name: a snapshot with the one run ".". Fails with kNotFound or
// kPermissionDenied when it cannot be opened, and with kInvalidArgument when it is a directory.
Result<std::shared_ptr<const Snapshot>> ReadEventFile(const std::filesystem::path& path);

}  // namespace cboard::reader

namespace cboard {
using reader::LogReader;
}  // namespace cboard
