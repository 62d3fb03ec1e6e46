// The prediction step of PNG: each row is stored as its difference from a prediction. From four
// predictions, the one with the smallest differences is chosen, so that smooth images compress
// well.
#pragma once

#include <cstdint>
#include <span>

#include "writer/media/pixels.h"

namespace cboard::writer::media {

// PNG's own numbers.
enum class PngFilter : std::uint8_t { kNone = 0, kSub = 1, kUp = 2, kPaeth = 4 };

// Writes the filter and the differences of each row to `filtered`, which has height * (1 +
// row_bytes) bytes. As in libpng and Pillow, a row gets the filter whose differences, as signed
// bytes, have the smallest sum of absolute values. If sums are equal, the first of None, Up, Sub
// and Paeth is used. (Average is not tried: it is rarely the best filter and costs as much as the
// others.)
void FilterRows(const Pixels& pixels, std::span<std::uint8_t> filtered);

}  // namespace cboard::writer::media
