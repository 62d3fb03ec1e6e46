#include "writer/summary/tag_cleaning.h"

#include <algorithm>
#include <array>

#include "cboard/base/strings.h"
#include "cboard/writer/writer_options.h"
#include "writer/summary/word_characters.h"

namespace cboard::writer::summary {
namespace {

// Maximum length of a file name in bytes.
constexpr std::size_t kMaxNameBytes = 255;

constexpr bool IsPlainAscii(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '/' || c == '.';
}

constexpr std::array<bool, 256> kPlainAscii = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0; c < 128; ++c) plain[c] = IsPlainAscii(static_cast<unsigned char>(c));
  return plain;
}();

bool IsPlain(char c) { return kPlainAscii[static_cast<unsigned char>(c)]; }

// Removes and returns the first code point of `text`, which must be valid UTF-8 and not empty.
char32_t TakeCodePoint(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code_point = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) code_point = code_point << 6 | (byte(i) & 0x3Fu);
  text.remove_prefix(length);
  return code_point;
}

// Splits `name` at '/' and appends its parts to `path`. Fails if a part cannot be the name of a
// directory, such as "..".
Result<void> AppendParts(std::string_view name, std::string_view what,
                         std::filesystem::path& path) {
  for (const std::string_view part : Split(name, '/')) {
    const auto refuse = [&](std::string_view reason) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the " + std::string(what) + " " + Quoted(name) +
                      " cannot be the name of a run's directory: " + std::string(reason));
    };
    if (part.empty()) {
      return refuse(
          "a part of it is empty; remove slashes at the start, at the end and double slashes");
    }
    if (part == "." || part == "..") {
      return refuse("a part of it is '" + std::string(part) +
                    "'; choose another name for this part");
    }
    if (part.find('\0') != std::string_view::npos) {
      return refuse("it contains a zero byte; remove it");
    }
    if (part.size() > kMaxNameBytes) {
      return refuse("a part of it has " + std::to_string(part.size()) + " bytes; shorten it to " +
                    std::to_string(kMaxNameBytes));
    }
    path /= part;
  }
  return {};
}

}  // namespace

bool IsCleanAsciiTag(std::string_view tag) {
  return !tag.starts_with('/') && std::ranges::all_of(tag, IsPlain);
}

std::string CleanTag(std::string_view tag) {
  if (IsCleanAsciiTag(tag)) return std::string(tag);
  const std::string valid = ToValidUtf8(tag);
  std::string_view rest = valid;
  std::string clean;
  clean.reserve(valid.size());
  while (!rest.empty()) {
    const std::string_view before = rest;
    const char32_t code_point = TakeCodePoint(rest);
    const bool keep = code_point < 0x80 ? IsPlain(before[0]) : IsWordCharacter(code_point);
    clean += keep ? before.substr(0, before.size() - rest.size()) : std::string_view("_");
  }
  clean.erase(0, clean.find_first_not_of('/'));
  return clean;
}

Result<std::string> StoredTag(std::string_view tag) {
  if (tag.size() > kMaxTagBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "tag " + Quoted(tag, 40) + " has " + HumanCount(tag.size()) +
                    " bytes; shorten it to at most " + HumanCount(kMaxTagBytes));
  }
  return ToValidUtf8(tag);
}

Result<std::string> CleanStoredTag(std::string_view tag) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, StoredTag(tag));
  return CleanTag(stored);
}

Result<std::filesystem::path> SubRunPath(const std::filesystem::path& directory,
                                         std::string_view main_tag, std::string_view key) {
  std::filesystem::path path = directory;
  if (!main_tag.empty()) CBOARD_RETURN_IF_ERROR(AppendParts(main_tag, "tag", path));
  CBOARD_RETURN_IF_ERROR(AppendParts(key, "key", path));
  return path;
}

}  // namespace cboard::writer::summary
