// gzip negotiation: whether the client accepts it, and whether the body is worth it. base/gzip.h
// compresses.
#pragma once

#include <cstddef>
#include <string_view>

namespace cboard::server {

// Whether an Accept-Encoding header allows gzip: "gzip, deflate", "gzip;q=0.5", "*", not
// "gzip;q=0".
bool AcceptsGzip(std::string_view accept_encoding);

// Returns true for text types. Images and audio are already compressed.
bool IsCompressible(std::string_view content_type);

// Shorter bodies fit into one packet anyway.
inline constexpr std::size_t kMinGzipBytes = 1024;

}  // namespace cboard::server
