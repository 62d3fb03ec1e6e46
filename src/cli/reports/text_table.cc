#include "cli/reports/text_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "cboard/base/strings.h"

namespace cboard::cli {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

// Returns the first code point of valid, non-empty UTF-8.
CodePoint FirstOf(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0) return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F),
          4};
}

bool IsControl(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) ||  // C0, DEL, C1.
         c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;  // Line breaks and changes of direction.
}

std::size_t WidthOf(char32_t c) {
  const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (within(0x0300, 0x036F) || within(0x200B, 0x200D) || within(0x20D0, 0x20FF) ||
      within(0xFE00, 0xFE0F)) {
    return 0;
  }
  const bool wide = within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xAC00, 0xD7A3) ||
                    within(0xF900, 0xFAFF) || within(0xFE30, 0xFE6F) || within(0xFF00, 0xFF60) ||
                    within(0xFFE0, 0xFFE6) || within(0x1F300, 0x1FAFF) || within(0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::string Printable(std::string_view text) {
  const std::string valid = ToValidUtf8(text);
  std::string_view rest = valid;
  std::string printable;
  printable.reserve(valid.size());
  while (!rest.empty()) {
    const CodePoint first = FirstOf(rest);
    if (IsControl(first.value)) {
      std::array<char, 16> escape;
      const char* format = first.value < 0x100 ? "\\x%02x" : "\\u%04x";
      std::snprintf(escape.data(), escape.size(), format, static_cast<unsigned>(first.value));
      printable += escape.data();
    } else {
      printable += rest.substr(0, first.bytes);
    }
    rest.remove_prefix(first.bytes);
  }
  return printable;
}

std::string Plural(std::size_t count, const std::string& noun) {
  return HumanCount(count) + " " + noun + (count == 1 ? "" : "s");
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint first = FirstOf(text);
    width += WidthOf(first.value);
    text.remove_prefix(std::min(first.bytes, text.size()));
  }
  return width;
}

std::string Shortened(std::string_view text, std::size_t max_width) {
  const std::string printable = Printable(text);
  if (DisplayWidth(printable) <= max_width) return printable;
  std::string_view rest = printable;
  std::string kept;
  std::size_t width = 1;  // Width of the ellipsis.
  while (!rest.empty()) {
    const CodePoint first = FirstOf(rest);
    width += WidthOf(first.value);
    if (width > max_width) break;
    kept += rest.substr(0, first.bytes);
    rest.remove_prefix(first.bytes);
  }
  return kept + "…";
}

std::string ShortenedToEnd(std::string_view text, std::size_t max_width) {
  const std::string printable = Printable(text);
  std::string_view rest = printable;
  std::size_t width = DisplayWidth(rest);
  if (width <= max_width) return printable;
  while (!rest.empty() && width + 1 > max_width) {
    const CodePoint first = FirstOf(rest);
    width -= WidthOf(first.value);
    rest.remove_prefix(first.bytes);
  }
  return "…" + std::string(rest);
}

void TextTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

void TextTable::DropEmptyColumns() {
  for (std::size_t i = columns_.size(); i-- > 0;) {
    if (!std::ranges::all_of(rows_, [i](const auto& row) { return row[i].empty(); })) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    columns_.erase(columns_.begin() + at);
    for (auto& row : rows_) row.erase(row.begin() + at);
  }
}

std::string TextTable::Render(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = DisplayWidth(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[i]));
    widths.push_back(width);
  }

  std::string text;
  const auto append_line = [&](auto&& cell_of) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string& cell = cell_of(i);
      const std::string padding(widths[i] - DisplayWidth(cell), ' ');
      line += columns_[i].align == Align::kRight ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append_line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) {
    append_line([&](std::size_t i) -> const std::string& { return row[i]; });
  }
  return text;
}

}  // namespace cboard::cli
