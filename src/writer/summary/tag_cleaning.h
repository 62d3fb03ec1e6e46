// Cleans tags as tensorboardX does, and makes directory names from tags.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer::summary {

// Cleans the tag of a scalar, histogram, image or video: every character outside [-/.\w] becomes
// '_', then leading slashes are removed. \w is Python's: letters and digits of every script, and
// '_'. Bytes that are not UTF-8 become '_' too.
std::string CleanTag(std::string_view tag);

// True if `tag` is ASCII and CleanTag would not change it. Scalars use this check to avoid a
// copy.
bool IsCleanAsciiTag(std::string_view tag);

// Converts the tag of all other kinds to valid UTF-8, which protobuf strings need, and does not
// clean it. Fails with kInvalidArgument beyond kMaxTagBytes.
Result<std::string> StoredTag(std::string_view tag);

// Cleans a tag with CleanTag; fails like StoredTag if the tag is too long.
Result<std::string> CleanStoredTag(std::string_view tag);

// Returns the directory of a sub-run of AddScalars or AddHParams: <directory>/<main_tag>/<key>;
// both names may have several parts. Without a `main_tag` it is <directory>/<key>. Fails with
// kInvalidArgument if the result is not below `directory`, or cannot be a directory: parts that are
// empty, "." or "..", contain a NUL, or exceed 255 bytes.
Result<std::filesystem::path> SubRunPath(const std::filesystem::path& directory,
                                         std::string_view main_tag, std::string_view key);

}  // namespace cboard::writer::summary
