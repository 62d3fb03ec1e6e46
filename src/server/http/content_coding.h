// gzip negotiation: whether the client accepts it, and whether the body is worth it. base/gzip.h
// compresses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cboard::server {

// Whether an Accept-Encoding header allows gzip: "gzip, deflate", "gzip;q=0.5", "*", not
// "gzip;q=0".
bool AcceptsGzip(std::string_view accept_encoding);

// Returns true for text types. Images and audio are already compressed.
bool IsCompressible(std::string_view content_type);

// Shorter bodies fit into one packet anyway.
inline constexpr std::size_t kMinGzipBytes = 1024;

// The small grammar that header values share.

// ASCII only, as header names are.
bool EqualIgnoringCase(std::string_view a, std::string_view b);
std::string LowerCase(std::string_view text);

// Removes blanks and tabs at both ends.
std::string_view Trimmed(std::string_view text);

// Returns `text` up to `separator`, trimmed, and removes it with the separator from `text`.
std::string_view TakeUntil(std::string_view& text, char separator);

}  // namespace cboard::server
