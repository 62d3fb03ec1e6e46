// The event files of one SummaryWriter: its own, and one per sub-run.
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

// Thread-safe. Files are opened when first needed and, after Close(), opened again.
//
// A forked child goes on in the files that its parent has open. It writes every event at once, to
// those files and to the ones that it opens itself: a child of multiprocessing, for instance, ends
// without closing anything.
class RunFiles {
 public:
  RunFiles(std::filesystem::path directory, WriterOptions options);

  // The file in the directory itself. Valid as long as this object.
  Result<EventFileWriter*> Main();
  // The same if it is open, null otherwise. Inline, for the path of every scalar.
  EventFileWriter* OpenMain() { return state_.Get().main.load(std::memory_order_acquire); }

  // The file of the sub-run in `directory`, kept open until Close().
  Result<EventFileWriter*> SubRun(const std::filesystem::path& directory);

  // A file that the caller closes, on the same I/O thread.
  Result<std::unique_ptr<EventFileWriter>> OpenOnce(const std::filesystem::path& directory);

  // Opens a new file instead of `file` at the next call that needs it. For files that are closed,
  // or deleted under a forked child.
  void Forget(const EventFileWriter* file);

  // All files; the first error, if any.
  Result<void> Flush();
  Result<void> Close();

  const std::filesystem::path& directory() const { return directory_; }
  const WriterOptions& options() const { return options_; }

 private:
  struct State {
    std::mutex mutex;
    std::atomic<EventFileWriter*> main = nullptr;
    // Guarded by `mutex`, and changed under a ForkBlocker.
    std::map<std::filesystem::path, EventFileWriter*> sub_runs;
    // Guarded by `mutex`. Closed ones too, of which little is left: pointers stay valid.
    std::vector<std::unique_ptr<EventFileWriter>> opened;
    // Runs whose readers know of purge_step. Guarded by `mutex`, and changed under a ForkBlocker.
    std::set<std::filesystem::path> purged;
    bool in_forked_child = false;  // Never changed after construction.

    void Inherit(const State& parent) {
      main = parent.main.load();
      sub_runs = parent.sub_runs;
      purged = parent.purged;
      in_forked_child = true;
    }

    const std::shared_ptr<IoThread> io_thread = MakeIoThread();  // Unless the options give one.
  };

  // The caller holds state.mutex.
  Result<std::unique_ptr<EventFileWriter>> Open(State& state,
                                                const std::filesystem::path& directory) const;

  const std::filesystem::path directory_;
  const WriterOptions options_;
  PerProcess<State> state_;
};

}  // namespace cboard::writer
