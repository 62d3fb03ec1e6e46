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

// Longer tags are refused: no viewer could show them, and each costs its length per event.
inline constexpr std::size_t kMaxTagBytes = 64 << 10;

// The thread that does the disk work of one or more writers. It starts with the first of them and
// ends with the last reference to it. In a forked child it is as if it had not been given.
class IoThread;
std::shared_ptr<IoThread> MakeIoThread();

struct WriterOptions {
  // Appended to the generated directory name when no directory is given.
  std::string comment;

  // Tells readers to drop what an earlier session logged at this step and later. Announced once per
  // run and sub-run: in the first file, not in the files that follow a Close().
  std::optional<std::int64_t> purge_step;

  // How many hand-offs may wait for the disk before add calls block. A hand-off is one large event
  // (an image, say) or a batch of up to 256 KiB of small ones.
  std::size_t max_queue = 10;

  // The longest time that an event stays in memory while the writer is open; at least 10 ms.
  double flush_secs = 120;

  // Writes each event before the add call returns, without a thread and buffers. Slower; nothing
  // waits in memory when the process is killed. Forked children always write so.
  bool write_at_once = false;

  // Flush() and Close() return when the events are on the disk, not only with the operating system
  // (fdatasync): a power failure afterwards loses none of them. The same is done every flush_secs.
  // After the disk has failed to confirm, every later Flush() and Close() fails with its error:
  // open a new writer. With an event_sink, nothing is done.
  bool durable = DurableByDefault();

  // Appended to the name of every event file.
  std::string filename_suffix;

  // How much may pile up in memory while the disk refuses writes. Beyond it, add calls fail with
  // kResourceExhausted and the event is not accepted, so that a full disk never stops a training.
  std::size_t max_backlog_bytes = std::size_t{64} << 20;

  // Called once when the disk or the bucket starts to fail, and once when it works again (with no error); also,
  // with kUnavailable, when a file that was deleted has been written again. Runs on the I/O thread
  // and must not throw. It may log; Flush() and Close() fail there with kFailedPrecondition, since
  // they would wait for the thread they run on. By default errors are only returned from Flush()
  // and Close().
  std::function<void(const std::optional<Error>&)> on_disk_error;

  // For runs in a bucket ("s3://bucket/run"): the folder on this machine in which events wait until the
  // store has them. Empty: compression-board/unsent below $XDG_STATE_HOME or ~/.local/state. Events
  // of a process that was killed stay there, and the next writer to the same bucket sends them.
  std::filesystem::path unsent_directory;

  // How much may wait there for one run. Beyond it, the writer goes on as with a full disk.
  std::uint64_t max_unsent_bytes = std::uint64_t{10} << 30;

  // Gets every event instead of a file: the directory of its run, and the serialized Event. Nothing
  // is written to the disk then. The sink gets no file version event, because that belongs to a
  // file. Called by the thread that adds the event, by several threads at the same time; must not
  // throw. Its error is the error of the add call.
  std::function<Result<void>(const std::filesystem::path& run, std::string_view event)> event_sink;

  // Shared by writers that are many or short-lived; by default each writer has its own.
  std::shared_ptr<IoThread> io_thread;

  // Where wall times come from when a call gives none; the system's clock if null.
  const Clock* clock = nullptr;
};

}  // namespace cboard::writer

namespace cboard {
using writer::WriterOptions;
}  // namespace cboard
