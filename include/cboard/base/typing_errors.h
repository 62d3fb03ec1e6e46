// How far a word is from another one that may have been meant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace cboard {

// How many letters must be typed otherwise to make `a` of `b`, with dashes as good as underscores.
// Takes time in proportion to the product of both lengths.
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
