#include "server/http/etag.h"

#include <isa-l/crc.h>
#include <isa-l/crc64.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "server/http/content_coding.h"

namespace cboard::server {
namespace {

std::string Hex(std::uint64_t a, std::uint64_t b) {
  std::array<char, 40> text = {};
  const int length =
      std::snprintf(text.data(), text.size(), "%016llx%llx", static_cast<unsigned long long>(a),
                    static_cast<unsigned long long>(b));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace

std::string EtagOf(std::string_view bytes) {
  // Combines two checksums with different polynomials. They run at the speed of memory, so hashing
  // costs little even for a large response. ISA-L takes a non-const pointer but does not change the
  // bytes.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  const std::uint64_t first = ::crc64_ecma_refl(bytes.size(), data, bytes.size());
  std::uint32_t second = 0;
  constexpr std::size_t kPiece = std::size_t{1} << 30;  // ISA-L takes the length as int.
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::size_t length = std::min(kPiece, bytes.size() - at);
    second = ::crc32_iscsi(data + at, static_cast<int>(length), second);
  }
  return Hex(first, second);
}

std::string EtagOf(const FileSlice& slice) {
  struct stat status = {};
  if (::fstat(slice.file->descriptor(), &status) != 0) return {};
  const std::string what = std::to_string(status.st_dev) + '/' + std::to_string(status.st_ino) +
                           '/' + std::to_string(status.st_mtim.tv_sec) + '/' +
                           std::to_string(status.st_mtim.tv_nsec) + '/' +
                           std::to_string(slice.offset) + '/' + std::to_string(slice.length);
  return EtagOf(what);
}

bool NamesEtag(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    std::string_view named = TakeUntil(if_none_match, ',');
    if (named == "*") return true;
    if (named.starts_with("W/")) named.remove_prefix(2);
    if (named.size() == etag.size() + 2 && named.front() == '"' && named.back() == '"' &&
        named.substr(1, etag.size()) == etag) {
      return true;
    }
  }
  return false;
}

namespace {

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

RangeRequest ParseRange(std::string_view header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!EqualIgnoringCase(header.substr(0, kUnit.size()), kUnit)) return {};
  std::string_view rest = header.substr(kUnit.size());
  if (rest.find('-') == std::string_view::npos || rest.find(',') != std::string_view::npos) {
    return {};
  }
  const std::string_view first = TakeUntil(rest, '-');
  const std::string_view last = Trimmed(rest);
  if (first.empty()) {  // "-N": the last N bytes.
    const std::optional<std::uint64_t> count = Number(last);
    if (!count) return {};
    if (*count == 0 || size == 0) return {.kind = RangeKind::kUnsatisfiable};
    const std::uint64_t length = std::min(*count, size);
    return {.kind = RangeKind::kOne, .range = {.offset = size - length, .length = length}};
  }
  const std::optional<std::uint64_t> begin = Number(first);
  const std::optional<std::uint64_t> end = last.empty() ? size : Number(last);
  if (!begin || !end || (!last.empty() && *end < *begin)) return {};
  if (*begin >= size) return {.kind = RangeKind::kUnsatisfiable};
  const std::uint64_t last_byte = last.empty() ? size - 1 : std::min(*end, size - 1);
  return {.kind = RangeKind::kOne, .range = {.offset = *begin, .length = last_byte - *begin + 1}};
}

}  // namespace cboard::server
