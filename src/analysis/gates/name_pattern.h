// Shell patterns for names of layers: conv*, features.?, *.attention.*.
#pragma once

#include <string_view>

namespace cboard::analysis {

// * is any text, slashes included, ? any one character; everything else is itself. Takes time in
// proportion to the product of both lengths at most, whatever the pattern.
inline bool MatchesPattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, retry = 0;  // The last star, and where it ended.
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
      // ? matches a whole UTF-8 character.
      while (pattern[p - 1] == '?' && n < name.size() && (name[n] & 0xC0) == 0x80) ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// Nodes of exported models are called /conv1/Conv: the slash in front may be left out.
inline bool MatchesLayer(std::string_view pattern, std::string_view layer) {
  return MatchesPattern(pattern, layer) ||
         (layer.starts_with('/') && MatchesPattern(pattern, layer.substr(1)));
}

}  // namespace cboard::analysis
