// Base64 with the alphabet for URLs, without padding (RFC 4648, section 5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard {

std::string ToBase64Url(std::string_view bytes);

// Nothing if `text` has another character. Bits that are left over at the end are ignored.
std::optional<std::string> FromBase64Url(std::string_view text);

}  // namespace cboard
