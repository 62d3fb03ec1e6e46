// Matches names of layers with shell patterns: conv*, features.?, *.attention.*.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::analysis {

// Returns true if the name matches the pattern: '*' is any text, slashes included, '?' is any one
// character. Takes time proportional to the product of both lengths at most.
inline bool MatchesPattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  // The position of the last '*', and the position in the name for the next attempt.
  std::size_t star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
      // '?' matches a whole UTF-8 character.
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

// The names of nodes in exported models begin with a slash: /conv1/Conv. A pattern may omit it.
inline bool MatchesLayer(std::string_view pattern, std::string_view layer) {
  return MatchesPattern(pattern, layer) ||
         (layer.starts_with('/') && MatchesPattern(pattern, layer.substr(1)));
}

// Lists the first names of a range, for error messages.

// Lists the first names of any range: "'conv1', 'conv2', …".
template <typename Names>
std::string FirstNames(const Names& names) {
  constexpr std::size_t kMaxNames = 8;
  std::string list;
  std::size_t listed = 0;
  for (const std::string_view name : names) {
    if (listed++ == kMaxNames) return list + ", …";
    list += (list.empty() ? "" : ", ") + Quoted(name);
  }
  return list;
}

}  // namespace cboard::analysis
