// Creates an event file with a unique name, writes to it, and restores it if somebody deletes it
// while it is open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "cboard/base/file.h"
#include "cboard/base/result.h"
#include "writer/partial_record.h"

namespace cboard::writer {

class EventFile {
 public:
  // Creates <directory>/events.out.tfevents.<seconds>.<host><suffix>. If this file exists, adds
  // ".<pid>.<n>" before the suffix.
  static Result<EventFile> Create(const std::filesystem::path& directory, double now_seconds,
                                  const std::string& suffix, bool durable);

  // Creates the file at `path`; its directory must exist. Fails with kAlreadyExists if the file
  // exists.
  static Result<EventFile> CreateNamed(const std::filesystem::path& path);

  // Writes `bytes` until all are written or the system fails. `written` is always set to the number
  // of written bytes.
  Result<void> WriteSome(ByteSpan bytes, std::size_t& written) {
    return file_->WriteSome(bytes, written);
  }

  // Calls RemovePartialRecord.
  bool RemovePartial(std::size_t bytes) { return RemovePartialRecord(file_->descriptor(), bytes); }

  // True if the file, or its whole directory, was deleted.
  bool Vanished() const { return !file_->HasName(); }

  // Creates a deleted file again, with all data that was written so far.
  Result<void> Restore();

  // Returns the open file for SyncFile(), which may take long. The file stays open for the caller
  // if this object closes or restores it meanwhile.
  std::shared_ptr<const File> file() const { return file_; }

  const std::filesystem::path& path() const { return file_->path(); }

 private:
  EventFile(File file, bool durable)
      : file_(std::make_shared<File>(std::move(file))), durable_(durable) {}

  std::shared_ptr<File> file_;
  bool durable_;
};

// Returns the name of this machine, as used in event files and run names.
std::string HostName();

// Rounds a time to whole seconds, and limits it to the ten digits that file names have. A wrong
// clock may return NaN or 1e30.
std::int64_t WholeSeconds(double seconds);

}  // namespace cboard::writer
