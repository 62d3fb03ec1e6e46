#include "server/http/byte_range.h"

#include <algorithm>
#include <charconv>

#include "server/http/header_text.h"

namespace cboard::server {
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
  if (first.empty()) {  // The last N bytes.
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
