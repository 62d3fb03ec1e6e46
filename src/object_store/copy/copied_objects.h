// The list of objects in a local copy, stored in a file between starts.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::object_store {

// The copied objects, by object key.
using CopiedObjects = std::map<std::string, ObjectInfo, std::less<>>;

// Encodes the list of copied objects, one line per object: size, ETag and key, separated by tabs;
// ETags and keys are percent-encoded.
std::string EncodeCopiedObjects(const CopiedObjects& objects);

// Decodes the list of copied objects. Unreadable lines are skipped; their objects are downloaded
// again.
CopiedObjects DecodeCopiedObjects(std::string_view text);

// Returns the path of an object below the folder of the copy: its key without `prefix`. nullopt if
// the object is neither an event file nor a projector file. Fails with kInvalidArgument if a file
// cannot have that name, or would be outside of the folder.
Result<std::optional<std::filesystem::path>> PathOfKey(std::string_view key,
                                                       std::string_view prefix);

}  // namespace cboard::object_store
