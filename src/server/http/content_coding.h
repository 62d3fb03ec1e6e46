// gzip: whether a client takes it, and whether it is worth it. base/gzip.h does it.
#pragma once

#include <cstddef>
#include <string_view>

namespace cboard::server {

// Whether an Accept-Encoding header allows gzip: "gzip, deflate", "gzip;q=0.5", "*", not
// "gzip;q=0".
bool AcceptsGzip(std::string_view accept_encoding);

// Text of some kind. Images and audio are compressed already.
bool IsCompressible(std::string_view content_type);

// Shorter bodies fit into one packet anyway.
inline constexpr std::size_t kMinGzipBytes = 1024;

}  // namespace cboard::server
