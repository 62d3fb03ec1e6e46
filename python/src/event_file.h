// One event file as Python holds it: the library's writer, and what becomes of it after a fork.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cboard/writer/event_file_writer.h"

namespace cboard::python {

// In a forked child, the library's writer refuses: its thread stayed in the parent. Children write
// each event at once to the descriptor that they share with the parent, whose position the kernel
// keeps for both, so that everything lands in one file, whole record by whole record.
class EventFile {
 public:
  EventFile(const std::string& directory, const WriterOptions& options);
  ~EventFile();

  // After Close() events are dropped without an error, as tensorboardX does.
  Result<void> AddScalar(std::string_view tag, float value, std::int64_t step,
                         double wall_time_seconds) {
    if (closed_) return {};
    Result<void> added = writer_->AddScalar(tag, value, step, wall_time_seconds);
    if (added) [[likely]]
      return added;
    return AddRefusedScalar(std::move(added), tag, value, step, wall_time_seconds);
  }
  Result<void> AddEvent(std::string_view event);
  Result<void> Flush();
  Result<void> Close();

  const std::string& path() const { return path_; }
  bool closed() const { return closed_; }

  // Whether events may bypass Python: no step or time is waiting to be put into them.
  bool plain = true;

 private:
  // What the library's writer has `refused`, by way of a child's own path if this is one.
  Result<void> AddRefusedScalar(Result<void> refused, std::string_view tag, float value,
                                std::int64_t step, double wall_time_seconds);
  Result<void> AddEventInChild(std::string_view event);

  std::unique_ptr<EventFileWriter> writer_;
  std::string path_;
  int owner_pid_;
  int child_descriptor_ = -1;
  std::atomic<bool> closed_ = false;
};

void BindEventFile(nanobind::module_& module);

}  // namespace cboard::python
