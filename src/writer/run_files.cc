#include "writer/run_files.h"

#include <utility>

#include "writer/io_thread.h"

namespace cboard::writer {

RunFiles::RunFiles(std::filesystem::path directory, WriterOptions options)
    : directory_(std::move(directory)), options_(std::move(options)) {}

Result<std::unique_ptr<EventFileWriter>> RunFiles::Open(
    State& state, const std::filesystem::path& directory) const {
  WriterOptions options = options_;
  if (options.io_thread == nullptr || !options.io_thread->BelongsToThisProcess()) {
    options.io_thread = state.io_thread;
  }
  if (state.in_forked_child) options.write_at_once = true;
  if (state.purged.contains(directory)) options.purge_step.reset();
  auto opened = EventFileWriter::Open(directory, options);
  if (opened && options.purge_step) {
    const ForkBlocker blocked;
    state.purged.insert(directory);
  }
  return opened;
}

Result<EventFileWriter*> RunFiles::Main() {
  if (EventFileWriter* main = OpenMain()) return main;
  State& state = state_.Get();
  const std::lock_guard lock(state.mutex);
  if (EventFileWriter* main = state.main) return main;
  CBOARD_ASSIGN_OR_RETURN(std::unique_ptr<EventFileWriter> opened, Open(state, directory_));
  state.opened.push_back(std::move(opened));
  state.main = state.opened.back().get();
  return state.main.load();
}

Result<EventFileWriter*> RunFiles::SubRun(const std::filesystem::path& directory) {
  State& state = state_.Get();
  const std::lock_guard lock(state.mutex);
  if (const auto found = state.sub_runs.find(directory); found != state.sub_runs.end()) {
    return found->second;
  }
  CBOARD_ASSIGN_OR_RETURN(std::unique_ptr<EventFileWriter> opened, Open(state, directory));
  state.opened.push_back(std::move(opened));
  const ForkBlocker blocked;
  return state.sub_runs[directory] = state.opened.back().get();
}

void RunFiles::Forget(const EventFileWriter* file) {
  State& state = state_.Get();
  const std::lock_guard lock(state.mutex);
  if (state.main == file) state.main = nullptr;
  const ForkBlocker blocked;
  std::erase_if(state.sub_runs, [&](const auto& entry) { return entry.second == file; });
}

Result<std::unique_ptr<EventFileWriter>> RunFiles::OpenOnce(
    const std::filesystem::path& directory) {
  State& state = state_.Get();
  const std::lock_guard lock(state.mutex);
  return Open(state, directory);
}

Result<void> RunFiles::Flush() {
  State& state = state_.Get();
  std::vector<EventFileWriter*> files;
  {
    const std::lock_guard lock(state.mutex);
    if (EventFileWriter* main = state.main) files.push_back(main);
    for (const auto& [directory, file] : state.sub_runs) files.push_back(file);
  }
  Result<void> first_error;
  for (EventFileWriter* file : files) {
    if (auto flushed = file->Flush(); !flushed && first_error) first_error = flushed;
  }
  return first_error;
}

Result<void> RunFiles::Close() {
  State& state = state_.Get();
  std::vector<EventFileWriter*> files;
  {
    const std::lock_guard lock(state.mutex);
    if (EventFileWriter* main = state.main.exchange(nullptr)) files.push_back(main);
    for (const auto& [directory, file] : state.sub_runs) files.push_back(file);
    const ForkBlocker blocked;
    state.sub_runs.clear();
  }
  Result<void> first_error;
  for (EventFileWriter* file : files) {
    if (auto closed = file->Close(); !closed && first_error) first_error = closed;
  }
  return first_error;
}

}  // namespace cboard::writer
