// The event files of one SummaryWriter: its own, and one per sub-run.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/event_file_writer.h"
#include "cboard/writer/writer_options.h"
#include "writer/per_process.h"

namespace cboard {

// Thread-safe. Files are opened when first needed and, after Close(), opened anew. After a fork
// the child starts with none, so that it writes files of its own beside its parent's.
class RunFiles {
 public:
  RunFiles(std::filesystem::path directory, WriterOptions options);

  // The file in the directory itself. Valid as long as this object.
  Result<EventFileWriter*> Main();

  // The file of the sub-run in `directory`, kept open until Close().
  Result<EventFileWriter*> SubRun(const std::filesystem::path& directory);

  // A file that the caller closes, on the same I/O thread.
  Result<std::unique_ptr<EventFileWriter>> OpenOnce(const std::filesystem::path& directory);

  // All files; the first error, if any.
  Result<void> Flush();
  Result<void> Close();

  const std::filesystem::path& directory() const { return directory_; }
  const WriterOptions& options() const { return options_; }

 private:
  struct State {
    std::mutex mutex;
    std::atomic<EventFileWriter*> main = nullptr;
    // Guarded by `mutex`.
    std::map<std::filesystem::path, EventFileWriter*> sub_runs;
    // Closed ones too, of which little is left: pointers stay valid.
    std::vector<std::unique_ptr<EventFileWriter>> opened;

    const std::shared_ptr<IoThread> io_thread = MakeIoThread();  // Unless the options give one.
  };

  Result<std::unique_ptr<EventFileWriter>> Open(const State& state,
                                                const std::filesystem::path& directory) const;

  const std::filesystem::path directory_;
  const WriterOptions options_;
  PerProcess<State> state_;
};

}  // namespace cboard
