// Files that survive a power failure: the calls below return when the disk has what was written.
#pragma once

#include <filesystem>
#include <string_view>

#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard {

// Whether writers and WriteFileAtomically() make their files durable without being asked: false,
// until the program calls SetDurableByDefault(true), as `compression-board --fsync` does before it
// writes anything.
bool DurableByDefault();
void SetDurableByDefault(bool durable);

// Returns when the content of the file is on the disk (fdatasync). The name of a new file is not
// covered.
Result<void> SyncFile(const File& file);

// Returns when the names of the files in `directory` are on the disk (fsync).
Result<void> SyncDirectory(const std::filesystem::path& directory);

// As WriteFileAtomically() and CreateDirectories(), with contents and names on the disk.
Result<void> WriteFileDurably(const std::filesystem::path& path, std::string_view content);
Result<void> CreateDirectoriesDurably(const std::filesystem::path& path);

}  // namespace cboard
