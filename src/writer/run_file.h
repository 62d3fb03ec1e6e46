// Files beside event files, such as those of the projector, on the disk or in a bucket.
#pragma once

#include <filesystem>
#include <string_view>

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

}  // namespace cboard::writer
