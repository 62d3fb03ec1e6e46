// Lists the first names of a range, for error messages.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::analysis {

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
