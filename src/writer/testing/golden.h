// Expected bytes for tests, from tensorboardX 2.6.4.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/proto/summary.h"

namespace cboard::writer::summary {

// Converts "0a30" to "\n0". Spaces are ignored.
inline std::string FromHex(std::string_view hex) {
  std::string bytes;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high << 4 | digit);
      high = -1;
    }
  }
  return bytes;
}

// Returns the values of a serialized Summary, as views into it; empty if it is damaged.
inline std::vector<proto::SummaryValue> ValuesOf(std::string_view summary) {
  std::vector<proto::SummaryValue> values;
  if (!proto::ForEachValue(summary,
                           [&](const proto::SummaryValue& value) { values.push_back(value); })) {
    values.clear();
  }
  return values;
}

}  // namespace cboard::writer::summary
