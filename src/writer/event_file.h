// Creates an event file with a unique name, writes to it, and restores it if it is deleted while
// open.
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
  // Creates <directory>/events.out.tfevents.<seconds>.<host><suffix>, with ".<pid>.<n>" before
  // the suffix when that name is taken.
  static Result<EventFile> Create(const std::filesystem::path& directory, double now_seconds,
                                  const std::string& suffix, bool durable);

  // Creates the file at `path`, in a directory that exists. Fails with kAlreadyExists.
  static Result<EventFile> CreateNamed(const std::filesystem::path& path);

  // Writes as many bytes as the system accepts; `written` is always set.
  Result<void> WriteSome(ByteSpan bytes, std::size_t& written) {
    return file_->WriteSome(bytes, written);
  }

  // Calls RemovePartialRecord.
  bool RemovePartial(std::size_t bytes) { return RemovePartialRecord(file_->descriptor(), bytes); }

  // True if the file, or its whole directory, was deleted.
  bool Vanished() const { return !file_->HasName(); }

  // Creates a deleted file again and copies everything that was written so far into it.
  Result<void> Restore();

  // Returns the open file for SyncFile(), which may take long: it stays open if this object closes
  // or restores its file meanwhile.
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

// Limits a time to the ten digits that file names have; a wrong clock may return NaN or
// 1e30.
std::int64_t WholeSeconds(double seconds);

}  // namespace cboard::writer
