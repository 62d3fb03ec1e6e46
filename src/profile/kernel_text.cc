#include "profile/kernel_text.h"

#include <algorithm>

#include "cboard/base/file.h"

namespace cboard::profile {

std::optional<std::string> ReadKernelFile(const std::filesystem::path& path) {
  // Maximum size of a file. For comparison, /proc/stat of a machine with a thousand cores has 200
  // KiB.
  constexpr std::uint64_t kMaxBytes = 8 << 20;
  Result<std::string> text = ReadFile(path, kMaxBytes);
  if (!text) return std::nullopt;
  return *std::move(text);
}

std::vector<std::string_view> Words(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\n\r";
  std::vector<std::string_view> words;
  std::size_t begin = line.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::string TagPart(std::string_view text) {
  std::string part;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    part += upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '_';
  }
  return part;
}

std::vector<std::filesystem::path> SortedEntries(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

}  // namespace cboard::profile
