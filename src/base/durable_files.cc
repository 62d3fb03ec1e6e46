#include "cboard/base/durable_files.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "cboard/base/strings.h"

namespace cboard {
namespace {

std::atomic<bool> durable_by_default = false;

// Returns the directory that contains `path`: "." for "a".
std::filesystem::path DirectoryOf(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return parent.empty() ? "." : parent;
}

Error CannotSync(int reason, const std::filesystem::path& path) {
  return ErrnoError(reason, "sync " + Quoted(path.native(), 300));
}

Result<void> ReplaceFile(const std::filesystem::path& path, std::string_view content,
                         bool durable) {
  std::filesystem::path temporary;
  {
    CBOARD_ASSIGN_OR_RETURN(File file, File::CreateTemporarySibling(path));
    temporary = file.path();
    Result<void> written = file.Write(AsBytes(content));
    if (written && durable) written = SyncFile(file);
    if (!written) {
      ::unlink(temporary.c_str());
      return written;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    return Fail(ErrnoError(reason, "replace " + Quoted(path.native(), 300)));
  }
  return durable ? SyncDirectory(DirectoryOf(path)) : Result<void>();
}

}  // namespace

bool DurableByDefault() { return durable_by_default; }

void SetDurableByDefault(bool durable) { durable_by_default = durable; }

Result<void> SyncFile(const File& file) {
  while (::fdatasync(file.descriptor()) != 0) {
    if (errno != EINTR) return Fail(CannotSync(errno, file.path()));
  }
  return {};
}

Result<void> SyncDirectory(const std::filesystem::path& directory) {
  CBOARD_ASSIGN_OR_RETURN(const File opened, File::OpenForReading(directory));
  while (::fsync(opened.descriptor()) != 0) {
    if (errno == EINVAL) return {};  // The file system does not support it and does not need it.
    if (errno != EINTR) return Fail(CannotSync(errno, directory));
  }
  return {};
}

Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view content) {
  return ReplaceFile(path, content, DurableByDefault());
}

Result<void> WriteFileDurably(const std::filesystem::path& path, std::string_view content) {
  return ReplaceFile(path, content, /*durable=*/true);
}

Result<void> CreateDirectoriesDurably(const std::filesystem::path& path) {
  std::error_code error;
  std::vector<std::filesystem::path> parents;  // Parents of the directories that are created.
  for (std::filesystem::path made = path; !std::filesystem::exists(made, error) && !error;
       made = DirectoryOf(made)) {
    if (made.has_filename()) parents.push_back(DirectoryOf(made));
  }
  CBOARD_RETURN_IF_ERROR(CreateDirectories(path));
  for (const std::filesystem::path& parent : parents) CBOARD_RETURN_IF_ERROR(SyncDirectory(parent));
  return {};
}

}  // namespace cboard
