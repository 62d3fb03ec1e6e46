// The file side of an event file: a name nobody else has, and the repair of a file that was
// deleted while it is being written.
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

  // Writes as much as the system takes; `written` is set in either case.
  Result<void> WriteSome(ByteSpan bytes, std::size_t& written) {
    return file_->WriteSome(bytes, written);
  }

  // See RemovePartialRecord.
  bool RemovePartial(std::size_t bytes) { return RemovePartialRecord(file_->descriptor(), bytes); }

  // True once the file has been deleted, or its whole directory.
  bool Vanished() const { return !file_->HasName(); }

  // Creates the deleted file again and copies everything that was written so far into it.
  Result<void> Restore();

  // For SyncFile, which may take long: it goes on if the file is closed or restored meanwhile.
  std::shared_ptr<const File> file() const { return file_; }

  const std::filesystem::path& path() const { return file_->path(); }

 private:
  EventFile(File file, bool durable)
      : file_(std::make_shared<File>(std::move(file))), durable_(durable) {}

  std::shared_ptr<File> file_;
  bool durable_;
};

// The name of this machine, as event files and run names show it.
std::string HostName();

// A time for a file name: what a broken clock may say (NaN, 1e30) is brought into the ten
// digits that names have.
std::int64_t WholeSeconds(double seconds);

}  // namespace cboard::writer
