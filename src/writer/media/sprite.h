// The one picture that holds the thumbnails of all points of an embedding.
#pragma once

#include <cstddef>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

// The projector's own limit.
inline constexpr std::size_t kMaxSpriteSide = 8192;

// `images` is N x C x H x W, square, 1 or 3 channels. They fill a square RGB picture row by row,
// ceil(sqrt(N)) to a row; the rest at the bottom is black. Bytes stand for themselves, other
// elements for themselves times 255, clamped to 0…255.
//
// Fails with kInvalidArgument for an invalid tensor or another shape, and with kResourceExhausted
// when the side would be above kMaxSpriteSide.
Result<Pixels> LayOutSprite(const TensorView& images);

}  // namespace cboard::writer::media
