// The small text files through which the kernel tells about itself.
#pragma once

#include <charconv>
#include <concepts>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::profile {

inline constexpr double kBytesPerMb = 1 << 20;

// The whole file, or nothing when it cannot be read or is absurdly large.
std::optional<std::string> ReadKernelFile(const std::filesystem::path& path);

// The words of a line, separated by blanks and tabs.
std::vector<std::string_view> Words(std::string_view line);

// The whole of `word` as a number.
template <typename Number>
std::optional<Number> ToNumber(std::string_view word) {
  Number number{};
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (status != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// A file that holds one number and a line break.
template <typename Number>
std::optional<Number> ReadNumber(const std::filesystem::path& path) {
  const std::optional<std::string> text = ReadKernelFile(path);
  if (!text) return std::nullopt;
  const std::vector<std::string_view> words = Words(*text);
  return words.size() == 1 ? ToNumber<Number>(words[0]) : std::nullopt;
}

// `text` as part of a tag: letters, digits, '-', '.' and '_' stay, the rest becomes '_'. Lower
// case.
std::string TagPart(std::string_view text);

// The entries of a directory in the order of their names; none if it cannot be read.
std::vector<std::filesystem::path> SortedEntries(const std::filesystem::path& directory);

}  // namespace cboard::profile
