// Gzip compression of bytes that are sent or stored.
//
// The header belongs to a separate library, cboard::gzip, so that programs that only write logs do
// not need libdeflate.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard {

// Compression levels are from 1 (fast) to 12 (small).
inline constexpr int kQuickGzip = 2;
inline constexpr int kSmallGzip = 11;

// Compresses `bytes`. Returns nullopt if the result would not be smaller, or if there is not enough
// memory.
std::optional<std::string> Gzip(std::string_view bytes, int level = kQuickGzip);

}  // namespace cboard
