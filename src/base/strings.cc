#include "cboard/base/strings.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace cboard {
namespace {

// Returns the length in bytes of the valid UTF-8 sequence at the start of `text`, or 0 if there is
// none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    // Excludes overlong forms and surrogates, which are not valid UTF-8.
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

// True if all bytes are ASCII, as in nearly all names. Checks eight bytes at a time.
bool IsAscii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t bits = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    bits |= word;
  }
  for (; at < text.size(); ++at) bits |= static_cast<unsigned char>(text[at]);
  return (bits & kHighBits) == 0;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  if (IsAscii(text)) return true;
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ToValidUtf8(std::string_view text) {
  if (IsAscii(text)) return std::string(text);
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) {
      valid += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      valid += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return valid;
}

std::string Quoted(std::string_view text, std::size_t max_bytes) {
  const std::string valid = ToValidUtf8(text.substr(0, max_bytes + 4));
  std::string_view rest = valid;
  std::string quoted = "'";
  while (!rest.empty()) {
    const std::size_t length = SequenceLength(rest);
    if (quoted.size() - 1 + length > max_bytes) break;
    const auto lead = static_cast<unsigned char>(rest[0]);
    if (lead < 0x20 || lead == 0x7F) {
      constexpr std::string_view kHex = "0123456789abcdef";
      quoted += "\\x";
      quoted += kHex[lead >> 4];
      quoted += kHex[lead & 15];
    } else {
      quoted += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
  quoted += rest.empty() && text.size() <= max_bytes ? "'" : "…'";
  return quoted;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string ShortestDecimal(double value) {
  std::array<char, 32> buffer;
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string HumanBytes(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  std::array<char, 32> buffer;
  const int digits = unit == 0 || std::abs(bytes) >= 100 ? 0 : 1;
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bytes,
                                           std::chars_format::fixed, digits);
  return std::string(buffer.data(), end) + " " + std::string(kUnits[unit]);
}

std::string HumanCount(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string ShapeText(std::span<const std::int64_t> shape) {
  constexpr std::size_t kMaxShown = 8;
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size() && i <= kMaxShown; ++i) {
    if (i > 0) text += ", ";
    text += i == kMaxShown ? "…" : std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace cboard
