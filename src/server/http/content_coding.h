// gzip: whether a client takes it, whether it is worth it, and doing it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard {

// Whether an Accept-Encoding header allows gzip: "gzip, deflate", "gzip;q=0.5", "*", not
// "gzip;q=0".
bool AcceptsGzip(std::string_view accept_encoding);

// Text of some kind. Images and audio are compressed already.
bool IsCompressible(std::string_view content_type);

// Shorter bodies fit into one packet anyway.
inline constexpr std::size_t kLeastGzipBytes = 1024;

// From 1 (quick) to 12 (small).
inline constexpr int kQuickGzip = 2;
inline constexpr int kSmallGzip = 11;

// Nothing when that would not be smaller, or memory is short.
std::optional<std::string> Gzip(std::string_view bytes, int level = kQuickGzip);

}  // namespace cboard
