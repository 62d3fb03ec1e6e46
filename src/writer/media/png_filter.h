// The prediction step of PNG: each row is stored as its difference from a guess, whichever of
// four guesses leaves the smallest numbers. Smooth pictures then compress well.
#pragma once

#include <cstdint>
#include <span>

#include "writer/media/pixels.h"

namespace cboard::writer::media {

// The numbers are PNG's own.
enum class PngFilter : std::uint8_t { kNone = 0, kSub = 1, kUp = 2, kPaeth = 4 };

// Fills `filtered`, height * (1 + row_bytes) bytes: each row's filter and its differences. The
// choice is libpng's and Pillow's: the least sum of absolute values, bytes taken as signed, the
// earlier of None, Up, Sub, Paeth when equal. (Average hardly ever wins and costs as much.)
void FilterRows(const Pixels& pixels, std::span<std::uint8_t> filtered);

}  // namespace cboard::writer::media
