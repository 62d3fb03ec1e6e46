// The prediction step of PNG: each row is stored as its difference from a prediction. The best of
// four predictions, with the smallest numbers, is chosen, so that smooth images compress well.
#pragma once

#include <cstdint>
#include <span>

#include "writer/media/pixels.h"

namespace cboard::writer::media {

// PNG's own numbers.
enum class PngFilter : std::uint8_t { kNone = 0, kSub = 1, kUp = 2, kPaeth = 4 };

// Fills `filtered`, which has height * (1 + row_bytes) bytes, with each row's filter and
// differences. The choice is that of libpng and Pillow: the smallest sum of absolute values as
// signed bytes; if equal, the first of None, Up, Sub, Paeth. (Average is rarely the best and costs
// as much as the others.)
void FilterRows(const Pixels& pixels, std::span<std::uint8_t> filtered);

}  // namespace cboard::writer::media
