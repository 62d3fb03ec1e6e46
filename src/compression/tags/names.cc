#include "cboard/compression/names.h"

#include <algorithm>
#include <cstdint>

#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";
constexpr std::string_view kShortened = "%~";

void AppendEscaped(unsigned char byte, std::string& out) {
  out += '%';
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

int HexDigit(char c) {
  const std::size_t digit = kHex.find(c);
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

bool IsSpecial(char c) { return IsControl(c) || c == '/' || c == '\\' || c == '%' || c == ':'; }

// Returns the number of bytes of the UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t SequenceLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return length <= text.size() && IsValidUtf8(text.substr(0, length)) ? length : 0;
}

// Returns an FNV-1a hash, to distinguish two long names with the same beginning.
std::string Fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += kHex[(hash >> shift) & 15];
  return digits;
}

}  // namespace

std::string DirectoryNameOf(std::string_view name) {
  if (name.empty()) return "%";
  std::string encoded;
  std::string_view rest = name;
  while (!rest.empty()) {
    const std::size_t before = encoded.size();
    const std::size_t length = SequenceLength(rest);
    if (length == 0 || IsSpecial(rest[0]) || (rest[0] == '.' && before == 0)) {
      AppendEscaped(static_cast<unsigned char>(rest[0]), encoded);
      rest.remove_prefix(1);
    } else {
      encoded += rest.substr(0, length);
      rest.remove_prefix(length);
    }
    if (encoded.size() > kMaxNameBytes) {
      constexpr std::size_t kKept = kMaxNameBytes - kShortened.size() - 16;
      // Removes a part of a character or of an escape at the end, which truncation may leave.
      std::size_t end = std::min(before, kKept);
      while (end > 0 && (static_cast<unsigned char>(encoded[end]) & 0xC0) == 0x80) --end;
      for (std::size_t back = 1; back <= 2 && back <= end; ++back) {
        if (encoded[end - back] == '%') end -= back;
      }
      return encoded.substr(0, end) + std::string(kShortened) + Fingerprint(name);
    }
  }
  return encoded;
}

std::string NameOfDirectory(std::string_view directory) {
  if (directory == "%") return {};
  // Common names need no change, so this returns early.
  if (directory.find('%') == std::string_view::npos) return std::string(directory);
  std::string name;
  for (std::size_t i = 0; i < directory.size(); ++i) {
    const int high =
        directory[i] == '%' && i + 2 < directory.size() ? HexDigit(directory[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(directory[i + 2]) : -1;
    if (low < 0) {
      name += directory[i];
    } else {
      name += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return directory.find(kShortened) == std::string_view::npos ? name : std::string(directory);
}

std::string TagPrefixOf(std::string_view model) {
  const auto harmless_part = [](std::string_view part) {
    return !part.empty() && part != "." && part != "..";
  };
  const bool harmless = model.size() <= kMaxNameBytes && IsValidUtf8(model) &&
                        std::ranges::none_of(model, IsControl) &&
                        std::ranges::all_of(Split(model, '/'), harmless_part);
  return harmless ? std::string(model) : DirectoryNameOf(model);
}

}  // namespace cboard::compression
