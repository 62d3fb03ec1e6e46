// Shell patterns for names of layers: conv*, features.?, *.attention.*.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/strings.h"

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

// Lists the first names of a range, for error messages.

// The first few of any range of names: "'conv1', 'conv2', …".
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
