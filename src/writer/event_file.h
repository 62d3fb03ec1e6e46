// The file side of an event file: a name nobody else has, and the repair of a file that was
// deleted while it is being written.
#pragma once

#include <cstdint>
#include <filesystem>
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
                                  const std::string& suffix);

  // Writes as much as the system takes; `written` is set in either case.
  Result<void> WriteSome(ByteSpan bytes, std::size_t& written) {
    return file_.WriteSome(bytes, written);
  }

  // See RemovePartialRecord.
  bool RemovePartial(std::size_t bytes) { return RemovePartialRecord(file_.descriptor(), bytes); }

  // True once the file has been deleted, or its whole directory.
  bool Vanished() const { return !file_.HasName(); }

  // Creates the deleted file again and copies everything that was written so far into it.
  Result<void> Restore();

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  explicit EventFile(File file) : file_(std::move(file)) {}

  File file_;
};

// The name of this machine, as event files and run names show it.
std::string HostName();

// A time for a file name: what a broken clock may say (NaN, 1e30) is brought into the ten
// digits that names have.
std::int64_t WholeSeconds(double seconds);

}  // namespace cboard::writer
