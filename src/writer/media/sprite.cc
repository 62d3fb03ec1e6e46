#include "writer/media/sprite.h"

#include <string>

#include "cboard/base/strings.h"
#include "writer/media/dimension_order.h"
#include "writer/media/interleave.h"
#include "writer/media/pixel_values.h"

namespace cboard::writer::media {

Result<Pixels> LayOutSprite(const TensorView& images) {
  CBOARD_RETURN_IF_ERROR(images.Validate());
  CBOARD_ASSIGN_OR_RETURN(const DimensionOrder order,
                          ParseDimensions(images.shape, "NCHW", "NCHW"));
  const Dimension n = order['N'], h = order['H'], w = order['W'];
  Dimension c = order['C'];
  CBOARD_RETURN_IF_ERROR(CheckedPixelBytes("sprite", {n.size, c.size, h.size, w.size}));
  if (h.size != w.size || (c.size != 1 && c.size != 3)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the label images have shape " + ShapeText(images.shape) +
                    ", but must have shape [count, 1 or 3, side, side], because the projector "
                    "shows square images");
  }
  std::size_t columns = 1;
  while (columns * columns < n.size && columns * w.size <= kMaxSpriteSide) ++columns;
  const std::size_t side = columns * w.size;
  if (side > kMaxSpriteSide) {
    return Fail(ErrorCode::kResourceExhausted,
                std::to_string(n.size) + " label images of " + std::to_string(w.size) + " x " +
                    std::to_string(w.size) +
                    " are too many for the projector's image of 8192 x 8192 pixels; log fewer "
                    "points or smaller images");
  }

  if (c.size == 1) c = {3, 0};
  CBOARD_ASSIGN_OR_RETURN(const PixelValues values, ToClampedPixelValues(images));
  CBOARD_ASSIGN_OR_RETURN(Pixels sprite, BlankPixels(side, side, 3));
  for (std::size_t i = 0; i < n.size; ++i) {
    std::uint8_t* corner = sprite.row(i / columns * h.size) + i % columns * w.size * 3;
    Interleave(values.data() + i * n.stride, {h, w, c}, corner, sprite.row_bytes());
  }
  return sprite;
}

}  // namespace cboard::writer::media
