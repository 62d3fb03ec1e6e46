// Writes one TensorBoard event file from many threads, in the background.
//
//   CBOARD_ASSIGN_OR_RETURN(auto file, EventFileWriter::Open("runs/edge", {}));
//   file->AddScalar("loss", 0.25f, /*step=*/1, WallTimeSeconds());
//   file->Flush();  // what was added before is now with the operating system
//
// Threads encode into buffers of their own, and one I/O thread writes what they hand over, so
// that adding an event never waits for another thread's. Events of one thread stay in order.
//
// After fork(), parent and child go on in the same file. The child writes each event within the
// add call, so that nothing is lost when it ends with _exit().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/writer/writer_options.h"

namespace cboard::writer {

// Thread-safe. The destructor closes.
class EventFileWriter {
 public:
  // Creates `directory` if needed and a new event file in it, never touching one that is there:
  // events.out.tfevents.<seconds>.<host>[.<pid>.<n>]<suffix>, the middle part only when the plain
  // name is taken. Writes the file version record and, with purge_step, the events that announce
  // the restart.
  static Result<std::unique_ptr<EventFileWriter>> Open(const std::filesystem::path& directory,
                                                       const WriterOptions& options);
  ~EventFileWriter();
  EventFileWriter(const EventFileWriter&) = delete;
  EventFileWriter& operator=(const EventFileWriter&) = delete;

  // Adds a scalar; the tag is cleaned as tensorboardX does (writer/summary/tag_cleaning.h). Step 0
  // and "no step" are the same bytes.
  // Fails with kFailedPrecondition after Close(), with kInvalidArgument for a tag over
  // kMaxTagBytes, and with kResourceExhausted while the disk fails and the backlog is full; a
  // failed call adds nothing. A forked child gets the disk's error, and kFailedPrecondition for a
  // deleted file.
  Result<void> AddScalar(std::string_view tag, float value, std::int64_t step,
                         double wall_time_seconds);

  // Adds a serialized Event. Fails as AddScalar, and with kInvalidArgument beyond 2 GiB.
  Result<void> AddEvent(std::string_view serialized_event);

  // Returns when everything added before, by any thread, is with the operating system, on the disk if
  // the options are durable, or in the store if the directory is in a bucket. Fails with the disk's error while it refuses; what could not
  // be written is kept and tried again.
  Result<void> Flush();

  // Flushes and closes the file. Bytes that the disk still refuses are lost, and the error says how
  // many. Calling it again does nothing.
  Result<void> Close();

  // The event file (in a bucket, the first one); with an event_sink, the directory of the run.
  const std::filesystem::path& path() const;

 private:
  class Impl;
  explicit EventFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cboard::writer
