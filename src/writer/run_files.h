// The event files of one SummaryWriter: the main file, and one file per sub-run.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/event_file_writer.h"
#include "cboard/writer/writer_options.h"
#include "writer/per_process.h"

namespace cboard::writer {

// The event files of a writer. Thread-safe. Each file is opened when it is first needed, and after
// Close() it is opened again when it is needed.
//
// A forked child continues to write to the open files of its parent. It writes every event at once,
// to these files and to files that it opens: a child process of Python's multiprocessing ends
// without closing files.
class RunFiles {
 public:
  RunFiles(std::filesystem::path directory, WriterOptions options);

  // Returns the main event file, which is in the writer's directory; opens it if needed. The
  // pointer is valid as long as this object.
  Result<EventFileWriter*> Main();
  // Returns the main event file if it is open, otherwise null. The function is inline, because
  // every scalar calls it.
  EventFileWriter* OpenMain() { return state_.Get().main.load(std::memory_order_acquire); }

  // Returns the event file of the sub-run in `directory`. The file stays open until Close().
  Result<EventFileWriter*> SubRun(const std::filesystem::path& directory);

  // Opens an event file that uses the same I/O thread. The caller closes it.
  Result<std::unique_ptr<EventFileWriter>> OpenOnce(const std::filesystem::path& directory);

  // Makes the next call that needs `file` open a new file instead. Used for a file that was closed,
  // or that was deleted while a forked child used it.
  void Forget(const EventFileWriter* file);

  // Flushes all files; returns the first error.
  Result<void> Flush();
  Result<void> Close();

  const std::filesystem::path& directory() const { return directory_; }
  const WriterOptions& options() const { return options_; }

 private:
  struct State {
    std::mutex mutex;
    std::atomic<EventFileWriter*> main = nullptr;
    // The open files of sub-runs. Protected by `mutex`, and changed only under a ForkBlocker.
    std::map<std::filesystem::path, EventFileWriter*> sub_runs;
    // All files that were opened. Closed files stay here, so that pointers to them are valid; they
    // need little memory. Protected by `mutex`.
    std::vector<std::unique_ptr<EventFileWriter>> opened;
    // Runs whose purge_step was announced. Protected by `mutex`, and changed only under a
    // ForkBlocker.
    std::set<std::filesystem::path> purged;
    bool in_forked_child = false;  // Never changed after construction.

    void Inherit(const State& parent) {
      main = parent.main.load();
      sub_runs = parent.sub_runs;
      purged = parent.purged;
      in_forked_child = true;
    }

    // The default I/O thread, used unless the options supply one.
    const std::shared_ptr<IoThread> io_thread = MakeIoThread();
  };

  // The caller holds state.mutex.
  Result<std::unique_ptr<EventFileWriter>> Open(State& state,
                                                const std::filesystem::path& directory) const;

  const std::filesystem::path directory_;
  const WriterOptions options_;
  PerProcess<State> state_;
};

}  // namespace cboard::writer
