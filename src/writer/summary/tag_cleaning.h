// Tags as tensorboardX stores them, and the directories that some of them name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer::summary {

// The tag of scalars, histograms, images and videos: every character outside [-/.\w] becomes '_',
// then leading slashes go. \w is Python's: letters and digits of every script, and '_'.
// Bytes that are not UTF-8 become '_' too.
std::string CleanTag(std::string_view tag);

// Whether CleanTag would leave an ASCII `tag` as it is; false for any other. Lets the path that
// every scalar takes go without a copy.
bool IsCleanAsciiTag(std::string_view tag);

// The tag of all other kinds: kept as it is, but always valid UTF-8, as protobuf strings must be.
// Fails with kInvalidArgument beyond kMaxTagBytes.
Result<std::string> StoredTag(std::string_view tag);

// CleanTag of a tag that is not too long; otherwise StoredTag's error.
Result<std::string> CleanStoredTag(std::string_view tag);

// Where AddScalars and AddHParams put a run of their own: <directory>/<main_tag>/<key>, of which
// either may hold several parts. With an empty `main_tag` it is <directory>/<key>.
// Fails with kInvalidArgument when the result could be anywhere but below `directory`, or could
// not be a directory at all: parts that are empty, "." or "..", a NUL, more than 255 bytes.
Result<std::filesystem::path> SubRunPath(const std::filesystem::path& directory,
                                         std::string_view main_tag, std::string_view key);

}  // namespace cboard::writer::summary
