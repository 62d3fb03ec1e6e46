// Resizes images with the Lanczos filter.
#pragma once

#include "cboard/base/result.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

// Returns `pixels` with width and height multiplied by `factor`, rounded down. A factor of 1
// changes nothing. Every channel, including alpha, is filtered separately, first along rows and
// then along columns.
//
// Fails with kInvalidArgument if `factor` is not a positive number or leaves no pixel, and with
// kResourceExhausted if the result exceeds kMaxPixelBytes.
Result<Pixels> Resize(const Pixels& pixels, double factor);

}  // namespace cboard::writer::media
