// Directories that belong to this user alone.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"

namespace cboard::reader {

// Fails with kPermissionDenied when the directory belongs to somebody else, or others can write to
// it: they could put any file in there. One that does not exist is fine. One of this user that
// others can read becomes unreadable for them (mode 0700).
Result<void> CheckPrivateDirectory(const std::filesystem::path& directory);

// The same after the directory and its parents have been created, with mode 0700.
Result<void> MakePrivateDirectory(const std::filesystem::path& directory);

}  // namespace cboard::reader
