// Detects names for which a writer would create the same tag.
#pragma once

#include <string>
#include <string_view>

namespace cboard::compression {

// Returns the same key for names that a writer turns into the same tag: "W4 asym" and "W4_asym".
std::string TagKeyOf(std::string_view name);

}  // namespace cboard::compression
