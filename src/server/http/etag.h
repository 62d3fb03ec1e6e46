// Validators: a short text that is equal when the content is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/server/http_message.h"

namespace cboard::server {

// A hash of the bytes, as text without quotes. Not for secrets: the author of the bytes can produce
// two contents with the same hash, and would then see a stale copy of that content.
std::string EtagOf(std::string_view bytes);

// An entity tag from a file, its modification time and a position in it.
std::string EtagOf(const FileSlice& slice);

// Whether an If-None-Match header names `etag` (without quotes): "*", or a list of quoted texts,
// weak ones included.
bool NamesEtag(std::string_view if_none_match, std::string_view etag);

// The Range header: "bytes=0-499", "bytes=500-", "bytes=-500".

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

enum class RangeKind {
  kNone,           // No range, one that is malformed, or several: send everything.
  kOne,            // Send `range`.
  kUnsatisfiable,  // Past the end: 416.
};

struct RangeRequest {
  RangeKind kind = RangeKind::kNone;
  ByteRange range = {};
};

// Parses `header` for a content of `size` bytes. The range is within the content and never empty.
RangeRequest ParseRange(std::string_view header, std::uint64_t size);

}  // namespace cboard::server
