// The event files of one SummaryWriter: its own, and one per sub-run.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/event_file_writer.h"
#include "cboard/writer/writer_options.h"

namespace cboard {

// Thread-safe. Files are opened when first needed and, after Close(), opened anew. After a fork
// the child starts with none, so that it writes files of its own beside its parent's.
class RunFiles {
 public:
  RunFiles(std::filesystem::path directory, WriterOptions options);
  ~RunFiles();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;

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
  // Everything that does not survive a fork.
  struct State {
    std::uint64_t fork_generation = 0;
    std::mutex mutex;
    std::atomic<EventFileWriter*> main = nullptr;
    // Guarded by `mutex`.
    WriterOptions options;
    std::map<std::filesystem::path, EventFileWriter*> sub_runs;
    std::vector<std::unique_ptr<EventFileWriter>> opened;  // Closed ones too: pointers stay valid.
  };

  State& Current();

  std::filesystem::path directory_;
  WriterOptions options_;
  std::atomic<State*> state_;
};

}  // namespace cboard
