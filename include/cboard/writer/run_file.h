// Reads and writes the files of a run (event files and the projector's files), on the disk or in a
// bucket.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::writer {

// Replaces the file at `path`, which may be in a bucket: "s3://bucket/key". Creates its folder if
// needed. If `durable`, waits until the data is on the disk.
Result<void> WriteRunFile(const std::filesystem::path& path, std::string_view content,
                          bool durable);

// Appends to the file; creates it if it does not exist. In a bucket, if two writers append to the
// same object at the same time, one of the two additions may be lost.
Result<void> AppendToRunFile(const std::filesystem::path& path, std::string_view content,
                             bool durable);

// Reads the first `max_bytes` of a run's file.
Result<std::string> ReadRunFile(const std::filesystem::path& path, std::uint64_t max_bytes);

// Lists the event files in `directory`, without its subdirectories. Returns an empty list if the
// directory cannot be listed.
std::vector<std::filesystem::path> EventFilesIn(const std::filesystem::path& directory);

}  // namespace cboard::writer
