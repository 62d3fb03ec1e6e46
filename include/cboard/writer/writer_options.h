// Options of a writer, with tensorboardX's names and defaults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/clock.h"
#include "cboard/base/durable_files.h"
#include "cboard/base/result.h"

namespace cboard::writer {

// Maximum size of a tag. Longer tags are refused, because no viewer could show them and each event
// contains its tag.
inline constexpr std::size_t kMaxTagBytes = 64 << 10;

// The thread that does the disk work of one or more writers. It starts with the first writer and
// ends with the last reference to it. A forked child does not use it.
class IoThread;
std::shared_ptr<IoThread> MakeIoThread();

struct WriterOptions {
  // A suffix for the generated directory name, used if no directory is given.
  std::string comment;

  // Tells readers to discard data of an earlier session from this step on. It is announced once per
  // run and sub-run: in the first file, not in files after a Close().
  std::optional<std::int64_t> purge_step;

  // Maximum number of batches that wait for the disk before add calls block. A batch is one large
  // event (for example an image) or up to 256 KiB of small events.
  std::size_t max_queue = 10;

  // Maximum time that an event stays in memory while the writer is open; at least 10 ms.
  double flush_secs = 120;

  // Writes each event before the add call returns, without a thread and buffers. This is slower,
  // but no event is lost if the process is killed. Forked children always write this way.
  bool write_at_once = false;

  // If true, Flush() and Close() wait until the events are on the disk (fdatasync), so that a power
  // failure afterwards loses none of them. The same is done every flush_secs. If the disk fails to
  // confirm, every later Flush() and Close() fails with its error: open a new writer. With an
  // event_sink, it has no effect.
  bool durable = DurableByDefault();

  // A suffix for the name of every event file.
  std::string filename_suffix;

  // Maximum memory for events while the disk refuses writes. Beyond it, add calls fail with
  // kResourceExhausted and the event is lost, so that a full disk never stops a training.
  std::size_t max_backlog_bytes = std::size_t{64} << 20;

  // A function that is called once when the disk or the bucket starts to fail, and once when it
  // works again (without an error); also, with kUnavailable, when a deleted file has been written
  // again. Runs on the I/O thread and must not throw. It may log; Flush() and Close() fail there
  // with kFailedPrecondition, because they would wait for their own thread. By default, errors are
  // only returned from Flush() and Close().
  std::function<void(const std::optional<Error>&)> on_disk_error;

  // For runs in a bucket ("s3://bucket/run"): the local folder in which events wait until the store
  // has them. Empty: compression-board/unsent below $XDG_STATE_HOME or ~/.local/state. Events of a
  // killed process stay there, and the next writer to the same bucket sends them.
  std::filesystem::path unsent_directory;

  // Maximum size of unsent events per run. Beyond it, the writer behaves as if the disk were full.
  std::uint64_t max_unsent_bytes = std::uint64_t{10} << 30;

  // A function that receives every event instead of a file: the directory of its run, and the
  // serialized Event. Nothing is then written to the disk. The sink gets no file version event,
  // because that belongs to a file. Called by the threads that add events, possibly at the same
  // time; must not throw. Its error is the error of the add call.
  std::function<Result<void>(const std::filesystem::path& run, std::string_view event)> event_sink;

  // I/O thread shared by many or short-lived writers; by default each writer has its own.
  std::shared_ptr<IoThread> io_thread;

  // Source of wall times for calls without one; the system's clock if null.
  const Clock* clock = nullptr;
};

}  // namespace cboard::writer

namespace cboard {
using writer::WriterOptions;
}  // namespace cboard
