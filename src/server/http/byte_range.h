// The Range header: "bytes=0-499", "bytes=500-", "bytes=-500".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cboard::server {

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
