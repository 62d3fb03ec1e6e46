// The event files of one SummaryWriter: the main file, and one per sub-run.
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

// The event files of a writer. Thread-safe. Files are opened when first needed and, after Close(),
// opened again.
//
// A forked child continues to write to the open files of its parent. It writes every event at once,
// to these files and to files that it opens, because a child process of Python's multiprocessing
// ends without closing files.
class RunFiles {
 public:
  RunFiles(std::filesystem::path directory, WriterOptions options);

  // Returns the event file in the directory itself; opens it if needed. Valid as long as this
  // object.
  Result<EventFileWriter*> Main();
  // Returns the main event file if it is open, otherwise null. Inline, because every scalar calls
  // it.
  EventFileWriter* OpenMain() { return state_.Get().main.load(std::memory_order_acquire); }

  // Returns the event file of the sub-run in `directory`, which stays open until Close().
  Result<EventFileWriter*> SubRun(const std::filesystem::path& directory);

  // Opens an event file that the caller closes, on the same I/O thread.
  Result<std::unique_ptr<EventFileWriter>> OpenOnce(const std::filesystem::path& directory);

  // Replaces `file` by a new file at the next call that needs it. For files that were closed, or
  // deleted while a forked child used them.
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
    // Protected by `mutex`, and changed only under a ForkBlocker.
    std::map<std::filesystem::path, EventFileWriter*> sub_runs;
    // Protected by `mutex`. Also contains closed files, which need little memory, so that pointers
    // stay valid.
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
