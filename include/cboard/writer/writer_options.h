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

// Maximum size of a tag. Longer tags are rejected: no viewer could show them, and every event
// contains its tag.
inline constexpr std::size_t kMaxTagBytes = 64 << 10;

// The thread that writes the files of one or more writers. It starts with the first writer and ends
// with the last reference to this object. A forked child does not use it.
class IoThread;
std::shared_ptr<IoThread> MakeIoThread();

struct WriterOptions {
  // A suffix for the name of the directory that is generated if no directory is given.
  std::string comment;

  // Tells readers to discard data of an earlier session from this step on. Each run and sub-run
  // contains this announcement once: in its first file, and not in files that are opened after a
  // Close().
  std::optional<std::int64_t> purge_step;

  // Maximum number of batches that wait for the disk before add calls block. A batch is one large
  // event (for example an image) or up to 256 KiB of small events.
  std::size_t max_queue = 10;

  // Maximum time that an event stays in memory while the writer is open; at least 10 ms.
  double flush_secs = 120;

  // Writes each event before the add call returns, without a thread and without buffers. This is
  // slower, but no event is lost if the process is killed. Forked children always write this way.
  bool write_at_once = false;

  // If true, Flush() and Close() wait until the events are on the disk (fdatasync), so that a later
  // power failure loses none of them. The writer does the same every flush_secs. If the disk cannot
  // confirm the data, every later Flush() and Close() fails with the disk's error: open a new
  // writer. The option has no effect with an event_sink.
  bool durable = DurableByDefault();

  // A suffix for the name of every event file.
  std::string filename_suffix;

  // Maximum memory for events while the disk refuses writes. If it is used up, add calls fail with
  // kResourceExhausted and the event is lost, but the training continues.
  std::size_t max_backlog_bytes = std::size_t{64} << 20;

  // A function that is called once when the disk or the bucket starts to fail (with the error), and
  // once when it works again (without an error). It is also called, with kUnavailable, when a
  // deleted file has been written again. It runs on the I/O thread and must not throw. It may log,
  // but Flush() and Close() fail inside it with kFailedPrecondition, because they would wait for
  // their own thread. By default, only Flush() and Close() return these errors.
  std::function<void(const std::optional<Error>&)> on_disk_error;

  // For runs in a bucket ("s3://bucket/run"): the local folder in which events wait until the store
  // has them. The default is compression-board/unsent below $XDG_STATE_HOME or ~/.local/state. If a
  // process is killed, its events stay in this folder, and the next writer to the same bucket sends
  // them.
  std::filesystem::path unsent_directory;

  // Maximum size of unsent events per run. Above it, the writer behaves as if the disk were full.
  std::uint64_t max_unsent_bytes = std::uint64_t{10} << 30;

  // A function that receives every event: the directory of the event's run, and the serialized
  // Event. Nothing is then written to the disk. The function does not receive a file version event,
  // because there is no file. It is called by the threads that add events, possibly at the same
  // time, and must not throw. If it fails, the add call returns its error.
  std::function<Result<void>(const std::filesystem::path& run, std::string_view event)> event_sink;

  // The I/O thread, for programs with many or short-lived writers that share one thread. By default
  // each writer has its own thread.
  std::shared_ptr<IoThread> io_thread;

  // Source of wall times for calls that do not give a wall time. Null means the system's clock.
  const Clock* clock = nullptr;
};

}  // namespace cboard::writer

namespace cboard {
using writer::WriterOptions;
}  // namespace cboard
