// Which objects a local copy has, kept in a file between starts.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::object_store {

// By key.
using CopiedObjects = std::map<std::string, ObjectInfo, std::less<>>;

// One line per object: size, ETag and key, separated by tabs; ETags and keys are percent-encoded.
std::string EncodeCopiedObjects(const CopiedObjects& objects);

// Leaves out lines that cannot be read: their objects are fetched again.
CopiedObjects DecodeCopiedObjects(std::string_view text);

// The path of an object below the folder of the copy: its key without `prefix`. Nothing if the
// object is no file of a log: neither an event file nor one of the projector. Fails with
// kInvalidArgument when a file cannot have that name, or would lie outside of the folder.
Result<std::optional<std::filesystem::path>> PathOfKey(std::string_view key,
                                                       std::string_view prefix);

}  // namespace cboard::object_store
