// Files of a run, on the disk or in a bucket: those of the projector, and a look at event files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::writer {

// Replaces the file at `path`, which may be "s3://bucket/key"; creates its folder. `durable`:
// returns when the disk has it.
Result<void> WriteRunFile(const std::filesystem::path& path, std::string_view content,
                          bool durable);

// Adds to the end of the file, or creates it. In a bucket, two writers that add to one object at
// the same time may lose one of the additions.
Result<void> AppendToRunFile(const std::filesystem::path& path, std::string_view content,
                             bool durable);

// The first `max_bytes` of the file.
Result<std::string> ReadRunFile(const std::filesystem::path& path, std::uint64_t max_bytes);

// The event files in `directory` itself. A directory that cannot be listed has none.
std::vector<std::filesystem::path> EventFilesIn(const std::filesystem::path& directory);

}  // namespace cboard::writer
