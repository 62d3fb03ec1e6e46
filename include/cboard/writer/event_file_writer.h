// Writes one TensorBoard event file from many threads, in the background.
//
//   CBOARD_ASSIGN_OR_RETURN(auto file, EventFileWriter::Open("runs/edge", {}));
//   file->AddScalar("loss", 0.25f, /*step=*/1, WallTimeSeconds());
//   file->Flush();  // what was added before is now with the operating system
//
// Each thread encodes into its own buffer, and one I/O thread writes the buffers, so that adding an
// event never waits for another thread. Events of one thread stay in order.
//
// After fork(), parent and child both write to the same file. The child writes each event during
// the add call, so that nothing is lost if it ends with _exit().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/writer/writer_options.h"

namespace cboard::writer {

// Writes one event file. Thread-safe. The destructor closes the file.
class EventFileWriter {
 public:
  // Creates `directory` if needed, and a new event file in it; never changes existing files. The
  // file name is events.out.tfevents.<seconds>.<host><suffix>; if that file exists, ".<pid>.<n>" is
  // added before the suffix. Writes the record with the file version. If purge_step is set, also
  // writes the events that announce the restart.
  static Result<std::unique_ptr<EventFileWriter>> Open(const std::filesystem::path& directory,
                                                       const WriterOptions& options);
  ~EventFileWriter();
  EventFileWriter(const EventFileWriter&) = delete;
  EventFileWriter& operator=(const EventFileWriter&) = delete;

  // Adds a scalar. The tag is cleaned as in tensorboardX (writer/summary/tag_cleaning.h). Step 0
  // and "no step" have the same bytes. Fails with kFailedPrecondition after Close(), with
  // kInvalidArgument for a tag over kMaxTagBytes, and with kResourceExhausted if the disk fails and
  // the backlog is full; a failed call adds nothing. In a forked child, fails with the disk's
  // error, or with kFailedPrecondition if the file was deleted.
  Result<void> AddScalar(std::string_view tag, float value, std::int64_t step,
                         double wall_time_seconds);

  // Adds a serialized Event. Fails like AddScalar, and with kInvalidArgument if the event is larger
  // than 2 GiB.
  Result<void> AddEvent(std::string_view serialized_event);

  // Waits until all events that any thread has added so far are written to the operating system. If
  // the options are durable, waits for the disk; if the directory is in a bucket, waits for the
  // store. Fails with the disk's error. Events that are not written then stay in memory and are
  // written later.
  Result<void> Flush();

  // Flushes and closes the file. If the disk still fails, the remaining bytes are lost, and the
  // error says how many. A second call does nothing.
  Result<void> Close();

  // Returns the path of the event file; in a bucket, the path of the first file. With an
  // event_sink, returns the directory of the run.
  const std::filesystem::path& path() const;

 private:
  class Impl;
  explicit EventFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cboard::writer
