// Functions for strings that the standard library does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cboard {

bool IsValidUtf8(std::string_view text);

// Returns `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD. Protobuf
// strings and browsers need valid UTF-8.
std::string ToValidUtf8(std::string_view text);

// Returns `text` in single quotes, with escaped control characters, shortened to `max_bytes` with
// "…". The result is safe in an error message, even if `text` comes from a hostile file.
std::string Quoted(std::string_view text, std::size_t max_bytes = 80);

std::vector<std::string_view> Split(std::string_view text, char separator);

// Returns the shortest decimal text that reads back as the same double: 0.1, 1e+30, nan, -inf.
std::string ShortestDecimal(double value);

// Formats a size: 1536 becomes "1.5 KiB".
std::string HumanBytes(double bytes);

// 1234567 -> "1,234,567".
std::string HumanCount(std::size_t count);

// Formats a shape for messages: "[3, 224, 224]". Only the first eight sizes of a long shape are
// shown.
std::string ShapeText(std::span<const std::int64_t> shape);

}  // namespace cboard
