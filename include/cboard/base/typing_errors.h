// Counts the typing errors between two words, to suggest the word that the user meant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace cboard {

// Returns how many letters must be changed, added or removed to turn `b` into `a`; a dash equals an
// underscore. Takes time proportional to the product of both lengths.
inline std::size_t TypingErrors(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i);
    for (std::size_t j = 1; j < row.size(); ++j) {
      const auto letter = [](char c) { return c == '-' ? '_' : c; };
      const std::size_t other = letter(a[i - 1]) == letter(b[j - 1]) ? before : before + 1;
      before = std::exchange(row[j], std::min({other, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace cboard
