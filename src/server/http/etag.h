// Entity tags: short texts that are equal if the contents are equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/server/http_message.h"

namespace cboard::server {

// Returns a hash of the bytes, as text without quotes. Not for secrets: a person who controls the
// bytes can construct two contents with the same hash, and clients could then keep an outdated
// copy.
std::string EtagOf(std::string_view bytes);

// Returns an entity tag made of a file, its modification time and a position in the file.
std::string EtagOf(const FileSlice& slice);

// Returns true if an If-None-Match header names `etag` (without quotes). The header is "*" or a
// list of quoted texts. The texts may be weak tags.
bool NamesEtag(std::string_view if_none_match, std::string_view etag);

// Parsing of the Range header: "bytes=0-499", "bytes=500-", "bytes=-500".

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

enum class RangeKind {
  kNone,           // No range, a malformed one, or several: send everything.
  kOne,            // Send `range`.
  kUnsatisfiable,  // Beyond the end: respond with 416.
};

struct RangeRequest {
  RangeKind kind = RangeKind::kNone;
  ByteRange range = {};
};

// Parses the Range header for a content of `size` bytes. The result is never empty and lies within
// the content.
RangeRequest ParseRange(std::string_view header, std::uint64_t size);

}  // namespace cboard::server
