// Writes files that survive a power failure: the functions return when the data is on the disk.
#pragma once

#include <filesystem>
#include <string_view>

#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard {

// True if writers and WriteFileAtomically() make their files durable by default. It is false
// until the program calls SetDurableByDefault(true), as `compression-board --fsync` does at the
// start.
bool DurableByDefault();
void SetDurableByDefault(bool durable);

// Waits until the content of the file is on the disk (fdatasync). A power failure may still delete
// the name of a new file.
Result<void> SyncFile(const File& file);

// Waits until the names of the files in `directory` are on the disk (fsync).
Result<void> SyncDirectory(const std::filesystem::path& directory);

// These functions do the same as WriteFileAtomically() and CreateDirectories(), but return only
// when contents and names are on the disk.
Result<void> WriteFileDurably(const std::filesystem::path& path, std::string_view content);
Result<void> CreateDirectoriesDurably(const std::filesystem::path& path);

}  // namespace cboard
