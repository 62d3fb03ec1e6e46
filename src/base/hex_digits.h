// Converts bytes to hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace cboard {

// Converts bytes to text, with two lower-case hexadecimal digits per byte.
inline std::string HexDigits(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace cboard
