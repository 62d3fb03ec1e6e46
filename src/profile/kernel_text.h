// Reads the small text files with which the kernel describes its state.
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

// Returns the content of the whole file. Returns nullopt if it cannot be read or is far too large.
std::optional<std::string> ReadKernelFile(const std::filesystem::path& path);

// Splits a line at spaces and tabs.
std::vector<std::string_view> Words(std::string_view line);

// Parses `word` as a number. Returns nullopt unless the whole word is a number.
template <typename Number>
std::optional<Number> ToNumber(std::string_view word) {
  Number number{};
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (status != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// Reads a file that contains one number and a line break.
template <typename Number>
std::optional<Number> ReadNumber(const std::filesystem::path& path) {
  const std::optional<std::string> text = ReadKernelFile(path);
  if (!text) return std::nullopt;
  const std::vector<std::string_view> words = Words(*text);
  return words.size() == 1 ? ToNumber<Number>(words[0]) : std::nullopt;
}

// Converts `text` to a part of a tag, in lower case. Letters, digits, '-', '.' and '_' remain; all
// other characters become '_'.
std::string TagPart(std::string_view text);

// Returns the entries of a directory, sorted by name. Returns an empty list if it cannot be read.
std::vector<std::filesystem::path> SortedEntries(const std::filesystem::path& directory);

}  // namespace cboard::profile
