// The files of a demo in its log directory: the next demo replaces them, and nothing else.
#pragma once

#include <filesystem>

#include "cboard/base/result.h"

namespace cboard::cli {

// Where a demo writes until all of it is there: a folder in the log directory, which is created, or
// emptied of what an interrupted demo has left. Fails with kAlreadyExists when the directory has
// files and no list of those that a demo wrote.
Result<std::filesystem::path> BeginDemo(const std::filesystem::path& logdir);

// Removes what the last demo has written, as its list says, and puts in its place what was written
// since BeginDemo, with a list of that. Files of others stay.
Result<void> FinishDemo(const std::filesystem::path& logdir);

}  // namespace cboard::cli
