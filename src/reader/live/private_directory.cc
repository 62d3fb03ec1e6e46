#include "reader/live/private_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "cboard/base/strings.h"

namespace cboard::reader {
namespace {

constexpr mode_t kPrivateMode = S_IRWXU;

std::string Named(const std::filesystem::path& directory) {
  return Quoted(directory.native(), 300);
}

}  // namespace

Result<void> CheckPrivateDirectory(const std::filesystem::path& directory) {
  struct stat status;
  if (::stat(directory.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return Fail(ErrnoError(errno, "use directory " + Named(directory)));
  }
  if (!S_ISDIR(status.st_mode)) {
    return Fail(ErrorCode::kAlreadyExists,
                "cannot use directory " + Named(directory) + ": a file with this name exists");
  }
  if (status.st_uid != ::geteuid()) {
    return Fail(ErrorCode::kPermissionDenied,
                "directory " + Named(directory) +
                    " belongs to another user; choose a directory of your own");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                "other users can write to directory " + Named(directory) +
                    "; change that with 'chmod "
                    "700', and remove files in it that are not yours");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 &&
      ::chmod(directory.c_str(), kPrivateMode) != 0) {
    return Fail(ErrnoError(errno, "restrict the access rights of directory " + Named(directory)));
  }
  return {};
}

Result<void> MakePrivateDirectory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), kPrivateMode) != 0) {
    const int reason = errno;
    const std::filesystem::path parent = directory.parent_path();
    if (reason == ENOENT && !parent.empty() && parent != directory) {
      struct stat status;
      if (::stat(parent.c_str(), &status) == 0) {
        return Fail(ErrnoError(reason, "create directory " + Named(directory)));
      }
      if (auto made = MakePrivateDirectory(parent); !made) return made;
      return MakePrivateDirectory(directory);
    }
    if (reason != EEXIST) return Fail(ErrnoError(reason, "create directory " + Named(directory)));
  }
  return CheckPrivateDirectory(directory);
}

}  // namespace cboard::reader
