// Small operations on text that the standard library lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cboard {

bool IsValidUtf8(std::string_view text);

// `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD, so that it may be
// stored in a protobuf string and shown in a browser.
std::string ToValidUtf8(std::string_view text);

// `text` in single quotes, control characters escaped, cut to `max_bytes` with "…": safe to put
// into an error message even when it came from a hostile file.
std::string Quoted(std::string_view text, std::size_t max_bytes = 80);

std::vector<std::string_view> Split(std::string_view text, char separator);

// The shortest decimal text that reads back as the same double: 0.1, 1e+30, nan, -inf.
std::string ShortestDecimal(double value);

// 1536 -> "1.5 KiB".
std::string HumanBytes(double bytes);

// 1234567 -> "1,234,567".
std::string HumanCount(std::size_t count);

// "[3, 224, 224]", for messages; of long shapes the first eight sizes.
std::string ShapeText(std::span<const std::int64_t> shape);

}  // namespace cboard
