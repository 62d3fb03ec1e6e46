// A small font for labels on images: printable ASCII, five by eight dots.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cboard::writer::media {

inline constexpr int kGlyphWidth = 5;
inline constexpr int kGlyphHeight = 8;  // Seven rows, and one below the baseline for g, j, p, q, y.
inline constexpr int kCellWidth = kGlyphWidth + 1;

// The rows of a character from the top; bit 4 is the leftmost dot.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

// Returns the glyph of a character. If the font does not have it, returns an empty frame.
const Glyph& GlyphOf(char32_t character);

inline bool HasInk(const Glyph& glyph, int row, int column) {
  return (glyph[static_cast<std::size_t>(row)] >> (kGlyphWidth - 1 - column) & 1) != 0;
}

// Decodes UTF-8 to one entry per character; invalid bytes become U+FFFD.
std::u32string DecodeUtf8(std::string_view text);

}  // namespace cboard::writer::media
