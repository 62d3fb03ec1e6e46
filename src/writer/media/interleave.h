// Copies one image of a tensor into rows of interleaved pixels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "writer/media/dimension_order.h"

namespace cboard::writer::media {

struct ImageDimensions {
  Dimension height, width, channels;
};

// Writes the rows of an image to `target`. A row has width * channels bytes, and starts
// `target_stride` bytes after the previous row.
void Interleave(const std::uint8_t* source, const ImageDimensions& image, std::uint8_t* target,
                std::size_t target_stride);

}  // namespace cboard::writer::media
