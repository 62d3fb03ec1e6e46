// Gzip compression of bytes that are sent or stored.
//
// A library of its own, cboard::gzip, so that programs that only write logs do not need libdeflate.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard {

// From 1 (quick) to 12 (small).
inline constexpr int kQuickGzip = 2;
inline constexpr int kSmallGzip = 11;

// Nothing when that would not be smaller, or memory is short.
std::optional<std::string> Gzip(std::string_view bytes, int level = kQuickGzip);

}  // namespace cboard
