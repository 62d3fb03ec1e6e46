#include "writer/media/video_layout.h"

#include <bit>
#include <string>

#include "cboard/base/strings.h"
#include "writer/media/dimension_order.h"
#include "writer/media/interleave.h"
#include "writer/media/pixel_values.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

Result<Video> LayOutVideo(const TensorView& video, std::string_view dataformats) {
  CBOARD_RETURN_IF_ERROR(video.Validate());
  CBOARD_ASSIGN_OR_RETURN(const DimensionOrder order,
                          ParseDimensions(video.shape, dataformats, "NTCHW"));
  const Dimension n = order['N'], t = order['T'], c = order['C'], h = order['H'], w = order['W'];
  CBOARD_RETURN_IF_ERROR(CheckedPixelBytes("video", {n.size, t.size, c.size, h.size, w.size}));
  if (c.size != 1 && c.size != 3 && c.size != 4) {
    return Fail(ErrorCode::kInvalidArgument,
                "the video of shape " + ShapeText(video.shape) + " has " + std::to_string(c.size) +
                    " channels according to dataformats '" + std::string(dataformats) +
                    "', expected 1, 3 or 4");
  }

  // As in tensorboardX, the number of rows is computed from the batch before padding: three videos
  // are padded to one row of four, not to a square.
  const auto row_bits = (std::bit_width(n.size) - 1) / 2;
  const std::size_t rows = std::size_t{1} << row_bits;
  const std::size_t columns = std::bit_ceil(n.size) / rows;
  CBOARD_ASSIGN_OR_RETURN(
      const std::size_t size,
      CheckedPixelBytes("tiled video", {t.size, rows, h.size, columns, w.size, c.size}));
  CBOARD_ASSIGN_OR_RETURN(const PixelValues values, ToPixelValues(video));
  Video tiled{t.size, rows * h.size, columns * w.size, c.size, std::vector<std::uint8_t>(size)};
  const std::size_t row_bytes = tiled.width * tiled.channels;
  for (std::size_t frame = 0; frame < t.size; ++frame) {
    for (std::size_t i = 0; i < n.size; ++i) {
      std::uint8_t* corner = tiled.bytes.data() + frame * tiled.frame_bytes() +
                             i / columns * h.size * row_bytes + i % columns * w.size * c.size;
      Interleave(values.data() + i * n.stride + frame * t.stride, {h, w, c}, corner, row_bytes);
    }
  }
  return tiled;
}

}  // namespace cboard::writer::media
