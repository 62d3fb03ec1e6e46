// Decides whether a response is sent with gzip: the client must accept it, and the body must be
// worth it. base/gzip.h compresses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cboard::server {

// Returns true if an Accept-Encoding header allows gzip: "gzip, deflate", "gzip;q=0.5" and "*" do,
// "gzip;q=0" does not.
bool AcceptsGzip(std::string_view accept_encoding);

// Returns true for content types of text. Images and audio are already compressed.
bool IsCompressible(std::string_view content_type);

// Minimum size of a compressed body: a shorter one fits into one packet anyway.
inline constexpr std::size_t kMinGzipBytes = 1024;

// Functions for the grammar that several header values share.

// Compares without case, for ASCII only, like header names.
bool EqualIgnoringCase(std::string_view a, std::string_view b);
std::string LowerCase(std::string_view text);

// Removes spaces and tabs at both ends.
std::string_view Trimmed(std::string_view text);

// Returns the part of `text` before `separator`, trimmed, and removes it with the separator from
// `text`.
std::string_view TakeUntil(std::string_view& text, char separator);

}  // namespace cboard::server
