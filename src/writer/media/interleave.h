// Copies one image out of a tensor into rows of interleaved pixels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "writer/media/dimension_order.h"

namespace cboard::writer::media {

struct ImageDimensions {
  Dimension height, width, channels;
};

// Writes height rows of width * channels bytes, `target_stride` apart.
void Interleave(const std::uint8_t* source, const ImageDimensions& image, std::uint8_t* target,
                std::size_t target_stride);

}  // namespace cboard::writer::media
