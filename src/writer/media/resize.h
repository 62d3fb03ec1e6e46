// Larger or smaller pictures, with the Lanczos filter that photo tools use.
#pragma once

#include "cboard/base/result.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

// `pixels` with both sides times `factor`, fractions dropped; a factor of 1 changes nothing. Every
// channel, alpha too, is filtered for itself, first along rows and then along columns.
//
// Fails with kInvalidArgument when `factor` is not a positive number or leaves no pixel, and with
// kResourceExhausted when the result is above kMaxPixelBytes.
Result<Pixels> Resize(const Pixels& pixels, double factor);

}  // namespace cboard::writer::media
