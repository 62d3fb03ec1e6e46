// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard {

std::string ToBase64Url(std::string_view bytes);

// Decodes a Base64 text. Returns nullopt if a character is outside the alphabet. Ignores extra bits
// at the end.
std::optional<std::string> FromBase64Url(std::string_view text);

}  // namespace cboard
