// The list of the objects that a local copy of a bucket contains. It is stored in a file, so that
// the next start of the program can continue the copy.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::object_store {

// The copied objects. The map's key is the object key.
using CopiedObjects = std::map<std::string, ObjectInfo, std::less<>>;

// Encodes the list of copied objects. Each line describes an object by its size, ETag and key,
// separated by tabs. ETags and keys are percent-encoded.
std::string EncodeCopiedObjects(const CopiedObjects& objects);

// Decodes the list of copied objects. Lines that cannot be read are skipped, and their objects are
// downloaded again.
CopiedObjects DecodeCopiedObjects(std::string_view text);

// Returns the path of an object inside the folder of the copy, which is the object's key without
// `prefix`. Returns nullopt if the object is neither an event file nor a projector file. Fails with
// kInvalidArgument if a file cannot have this name, or if the path would be outside the folder.
Result<std::optional<std::filesystem::path>> PathOfKey(std::string_view key,
                                                       std::string_view prefix);

}  // namespace cboard::object_store
