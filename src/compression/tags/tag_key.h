// When two names would end up in the same tag.
#pragma once

#include <string>
#include <string_view>

namespace cboard::compression {

// Equal for names whose tags are equal once a writer has cleaned them: "W4 asym" and "W4_asym".
std::string TagKeyOf(std::string_view name);

}  // namespace cboard::compression
