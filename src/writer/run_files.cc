#include "writer/run_files.h"

#include <utility>

#include "writer/thread_buffers.h"

namespace cboard {

RunFiles::RunFiles(std::filesystem::path directory, WriterOptions options)
    : directory_(std::move(directory)), options_(std::move(options)), state_(new State) {
  State& state = *state_;
  state.fork_generation = ForkGeneration();
  state.options = options_;
  if (state.options.io_thread == nullptr) state.options.io_thread = MakeIoThread();
}

RunFiles::~RunFiles() {
  State* state = state_;
  // In a child, the parent's state cannot be taken apart: its threads and locks are not here.
  if (state->fork_generation == ForkGeneration()) delete state;
}

RunFiles::State& RunFiles::Current() {
  State* state = state_.load(std::memory_order_acquire);
  if (state->fork_generation == ForkGeneration()) return *state;
  auto fresh = std::make_unique<State>();
  fresh->fork_generation = ForkGeneration();
  fresh->options = options_;
  fresh->options.io_thread = MakeIoThread();
  if (state_.compare_exchange_strong(state, fresh.get())) state = fresh.release();
  return *state;
}

Result<EventFileWriter*> RunFiles::Main() {
  State& state = Current();
  if (EventFileWriter* main = state.main.load(std::memory_order_acquire)) return main;
  const std::lock_guard lock(state.mutex);
  if (EventFileWriter* main = state.main) return main;
  CBOARD_ASSIGN_OR_RETURN(std::unique_ptr<EventFileWriter> opened,
                          EventFileWriter::Open(directory_, state.options));
  state.opened.push_back(std::move(opened));
  state.main = state.opened.back().get();
  return state.main.load();
}

Result<EventFileWriter*> RunFiles::SubRun(const std::filesystem::path& directory) {
  State& state = Current();
  const std::lock_guard lock(state.mutex);
  if (const auto found = state.sub_runs.find(directory); found != state.sub_runs.end()) {
    return found->second;
  }
  CBOARD_ASSIGN_OR_RETURN(std::unique_ptr<EventFileWriter> opened,
                          EventFileWriter::Open(directory, state.options));
  state.opened.push_back(std::move(opened));
  return state.sub_runs[directory] = state.opened.back().get();
}

Result<std::unique_ptr<EventFileWriter>> RunFiles::OpenOnce(
    const std::filesystem::path& directory) {
  return EventFileWriter::Open(directory, Current().options);
}

Result<void> RunFiles::Flush() {
  State& state = Current();
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
  State& state = Current();
  std::vector<EventFileWriter*> files;
  {
    const std::lock_guard lock(state.mutex);
    if (EventFileWriter* main = state.main.exchange(nullptr)) files.push_back(main);
    for (const auto& [directory, file] : state.sub_runs) files.push_back(file);
    state.sub_runs.clear();
  }
  Result<void> first_error;
  for (EventFileWriter* file : files) {
    if (auto closed = file->Close(); !closed && first_error) first_error = closed;
  }
  return first_error;
}

}  // namespace cboard
