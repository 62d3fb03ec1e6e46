// Bytes in a readable form for tests: hex pairs, and text in double quotes.
//
//   Golden("0a 02 \"lr\" 20 03")
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace cboard::testing {

inline std::string Golden(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    if (text[0] == ' ') {
      text.remove_prefix(1);
    } else if (text[0] == '"') {
      const std::size_t end = text.find('"', 1);
      bytes += text.substr(1, end - 1);
      text.remove_prefix(end + 1);
    } else {
      bytes += static_cast<char>(std::strtol(std::string(text.substr(0, 2)).c_str(), nullptr, 16));
      text.remove_prefix(2);
    }
  }
  return bytes;
}

}  // namespace cboard::testing
