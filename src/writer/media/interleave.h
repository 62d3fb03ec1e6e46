// Copies one image of a tensor into rows of interleaved pixels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "writer/media/dimension_order.h"

namespace cboard::writer::media {

struct ImageDimensions {
  Dimension height, width, channels;
};

// Writes `height` rows of width * channels bytes, at distances of `target_stride` bytes.
void Interleave(const std::uint8_t* source, const ImageDimensions& image, std::uint8_t* target,
                std::size_t target_stride);

}  // namespace cboard::writer::media
