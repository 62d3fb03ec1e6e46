// Creates the image with the thumbnails of all points of an embedding.
#pragma once

#include <cstddef>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

// Maximum width and height of a sprite. It is the limit of TensorBoard's projector.
inline constexpr std::size_t kMaxSpriteSide = 8192;

// Creates a sprite. `images` has the shape N x C x H x W, with H = W and C = 1 or 3. The images
// fill a square RGB image row by row, with ceil(sqrt(N)) images per row; the rest at the bottom is
// black. uint8 values are used unchanged; other values are multiplied by 255 and clamped to 0…255.
//
// Fails with kInvalidArgument for an invalid tensor or another shape, and with kResourceExhausted
// if the side would exceed kMaxSpriteSide.
Result<Pixels> LayOutSprite(const TensorView& images);

}  // namespace cboard::writer::media
