// Creates and checks directories that only this user can access.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"

namespace cboard::reader {

// Checks that only this user can change the directory. Fails with kPermissionDenied if the
// directory belongs to another user, or if other users can write to it and could therefore add
// files. A missing directory is accepted. If other users can read the directory, its mode is
// changed to 0700.
Result<void> CheckPrivateDirectory(const std::filesystem::path& directory);

// Creates the directory and its parents with mode 0700, and then calls CheckPrivateDirectory().
Result<void> MakePrivateDirectory(const std::filesystem::path& directory);

}  // namespace cboard::reader
