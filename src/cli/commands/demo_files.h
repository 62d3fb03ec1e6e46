// Replaces the files of the last demo in a log directory, and no other files.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"

namespace cboard::cli {

// Returns the directory that the demo writes to until it is complete: a subdirectory of the log
// directory, created or emptied after an interrupted demo. Fails with kAlreadyExists if the log
// directory has files, but no list of files that a demo wrote.
Result<std::filesystem::path> BeginDemo(const std::filesystem::path& logdir);

// Removes the files on the last demo's list, moves the files written since BeginDemo to their
// place, and writes the new list. Other files stay.
Result<void> FinishDemo(const std::filesystem::path& logdir);

}  // namespace cboard::cli
