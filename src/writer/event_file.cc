#include "writer/event_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <vector>

#include "cboard/base/durable_files.h"
#include "cboard/base/strings.h"
#include "writer/per_process.h"

namespace cboard::writer {

std::string HostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  std::string host = name.data();
  std::ranges::replace(host, '/', '_');  // The host name is part of a file name.
  return host;
}

std::int64_t WholeSeconds(double seconds) {
  constexpr double kTenDigits = 9'999'999'999;
  if (!(seconds > 0)) return 0;
  return static_cast<std::int64_t>(std::min(seconds, kTenDigits));
}

Result<EventFile> EventFile::Create(const std::filesystem::path& directory, double now_seconds,
                                    const std::string& suffix, bool durable) {
  if (suffix.find('/') != std::string::npos || suffix.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                "filename_suffix " + Quoted(suffix) +
                    " must be the end of a file name, so it cannot contain '/' or a zero byte");
  }
  CBOARD_RETURN_IF_ERROR(durable ? CreateDirectoriesDurably(directory)
                                 : CreateDirectories(directory));
  std::array<char, 24> seconds;
  std::snprintf(seconds.data(), seconds.size(), "%010lld",
                static_cast<long long>(WholeSeconds(now_seconds)));
  const std::string stem = "events.out.tfevents." + std::string(seconds.data()) + "." + HostName();
  Result<File> file = File::CreateNew(directory / (stem + suffix));
  static std::atomic<unsigned> sequence = 0;
  while (!file && file.error().code == ErrorCode::kAlreadyExists) {
    const std::string unique = "." + std::to_string(::getpid()) + "." + std::to_string(sequence++);
    file = File::CreateNew(directory / (stem + unique + suffix));
  }
  if (!file) return Fail(std::move(file).error());
  if (durable) CBOARD_RETURN_IF_ERROR(SyncDirectory(directory));
  return EventFile(*std::move(file), durable);
}

Result<EventFile> EventFile::CreateNamed(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(File file, File::CreateNew(path));
  return EventFile(std::move(file), /*durable=*/false);
}

Result<void> EventFile::Restore() {
  CBOARD_RETURN_IF_ERROR(durable_ ? CreateDirectoriesDurably(path().parent_path())
                                  : CreateDirectories(path().parent_path()));
  CBOARD_ASSIGN_OR_RETURN(File fresh, File::CreateNew(path()));
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  std::uint64_t offset = 0;
  Result<void> copied;
  while (true) {
    const Result<std::size_t> count = file_->ReadAt(offset, buffer);
    if (!count) {
      copied = Fail(count.error());
      break;
    }
    if (*count == 0) break;
    copied = fresh.Write(ByteSpan(buffer).first(*count));
    if (!copied) break;
    offset += *count;
  }
  if (copied && durable_) copied = SyncFile(fresh);
  if (copied && durable_) copied = SyncDirectory(path().parent_path());
  if (!copied) {
    // Deletes the incomplete copy, because it would look like a damaged run. The next attempt
    // starts from the beginning.
    ::unlink(path().c_str());
    return copied;
  }
  const ForkBlocker blocked;
  file_ = std::make_shared<File>(std::move(fresh));
  return {};
}

}  // namespace cboard::writer
