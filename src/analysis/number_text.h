// Numbers in sentences.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace cboard::analysis {

// Four significant digits: 0.3333, 12.5, 1.2e+06.
inline std::string ShortNumber(double value, int digits = 4) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

// 0.317 -> "31.7 %".
inline std::string Percent(double share) { return ShortNumber(share * 100, 3) + " %"; }

}  // namespace cboard::analysis
