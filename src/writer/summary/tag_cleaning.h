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

// True if `tag` is ASCII and CleanTag would not change it. Scalars use this check to avoid a copy
// of the tag.
bool IsCleanAsciiTag(std::string_view tag);

// Converts a tag to valid UTF-8, which protobuf strings need, and does not clean it. It is for all
// kinds of data except scalars, histograms, images and videos. Fails with kInvalidArgument if the
// tag is longer than kMaxTagBytes.
Result<std::string> StoredTag(std::string_view tag);

// Cleans a tag with CleanTag; fails like StoredTag if the tag is too long.
Result<std::string> CleanStoredTag(std::string_view tag);

// Returns the directory of a sub-run of AddScalars or AddHParams: <directory>/<main_tag>/<key>, or
// <directory>/<key> if `main_tag` is empty. Both names may have several parts, separated by '/'.
// Fails with kInvalidArgument if the result is not below `directory`, or if a part cannot be a
// directory: it is empty, "." or "..", contains a NUL, or exceeds 255 bytes.
Result<std::filesystem::path> SubRunPath(const std::filesystem::path& directory,
                                         std::string_view main_tag, std::string_view key);

}  // namespace cboard::writer::summary
