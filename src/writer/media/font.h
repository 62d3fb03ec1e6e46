// A small font for labels on pictures: printable ASCII, five by eight dots.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cboard::writer::media {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 8;  // Seven rows and one below the line, for g, j, p, q, y.
inline constexpr int kCellWidth = kGlyphWidth + 1;

// Row by row from the top; bit 4 is the leftmost dot.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

// The letter, or an empty frame for a character the font does not have.
const Glyph& GlyphOf(char32_t character);

inline bool HasInk(const Glyph& glyph, int row, int column) {
  return (glyph[static_cast<std::size_t>(row)] >> (kGlyphWidth - 1 - column) & 1) != 0;
}

// One entry per character to draw; bytes that are not UTF-8 become U+FFFD.
std::u32string DecodeUtf8(std::string_view text);

}  // namespace cboard::writer::media
