// Reads the small text files of /proc and /sys.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/file.h"

namespace cboard::benchmark {

// Returns the content of a file; nullopt if it cannot be read or is too large.
inline std::optional<std::string> ReadText(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = 16 << 20;
  auto text = ReadFile(path, kMaxBytes);
  if (!text) return std::nullopt;
  return *std::move(text);
}

inline std::optional<std::string> FirstLine(const std::filesystem::path& path) {
  auto text = ReadText(path);
  if (text) text->resize(std::min(text->find('\n'), text->size()));
  return text;
}

// Returns the number at the beginning of a text; nullopt if there is none.
inline std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  return number;
}

inline std::optional<std::uint64_t> NumberInFile(const std::filesystem::path& path) {
  const auto text = FirstLine(path);
  return text ? NumberIn(*text) : std::nullopt;
}

}  // namespace cboard::benchmark
