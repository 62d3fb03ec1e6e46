#include "writer/media/image_layout.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cboard/base/strings.h"
#include "writer/media/dimension_order.h"
#include "writer/media/interleave.h"
#include "writer/media/pixel_values.h"

namespace cboard::writer::media {
namespace {

Result<std::string_view> LettersFor(const TensorView& image, std::string_view dataformats) {
  switch (dataformats.size()) {
    case 2:
      return "HW";
    case 3:
      return "CHW";
    case 4:
      return "NCHW";
    default:
      return Fail(ErrorCode::kInvalidArgument,
                  "the argument dataformats has " + std::to_string(dataformats.size()) +
                      " letters, but the image has shape " + ShapeText(image.shape) +
                      "; give an order of HW, CHW or NCHW");
  }
}

Result<void> CheckChannels(const TensorView& image, std::string_view dataformats,
                           std::size_t channels) {
  const bool batch = dataformats.size() == 4;
  if (channels == 1 || channels == 3 || channels == 4 || (channels == 2 && !batch)) return {};
  std::string message = "image of shape " + ShapeText(image.shape) + " has " +
                        std::to_string(channels) + " channels by dataformats '" +
                        std::string(dataformats) + "', expected " +
                        (batch ? "1, 3 or 4" : "1 to 4");
  // The most common mistake is a tensor whose last dimension has the channels. The hint names the
  // right 'dataformats' for it.
  if (image.shape.back() >= 1 && image.shape.back() <= 4) {
    message += batch ? "; is it 'NHWC'?" : "; is it 'HWC'?";
  }
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace

Result<Pixels> LayOutImage(const TensorView& image, std::string_view dataformats,
                           std::size_t grid_columns) {
  CBOARD_RETURN_IF_ERROR(image.Validate());
  CBOARD_ASSIGN_OR_RETURN(const std::string_view letters, LettersFor(image, dataformats));
  CBOARD_ASSIGN_OR_RETURN(DimensionOrder order, ParseDimensions(image.shape, dataformats, letters));
  const Dimension n = order['N'], h = order['H'], w = order['W'];
  Dimension c = order['C'];
  CBOARD_RETURN_IF_ERROR(CheckedPixelBytes("image", {n.size, c.size, h.size, w.size}));
  CBOARD_RETURN_IF_ERROR(CheckChannels(image, dataformats, c.size));
  if (c.size == 1) c = {3, 0};

  const std::size_t columns = std::min(n.size, std::max<std::size_t>(grid_columns, 1));
  const std::size_t rows = (n.size + columns - 1) / columns;
  CBOARD_RETURN_IF_ERROR(CheckedPixelBytes("grid", {rows, h.size, columns, w.size, c.size}));
  CBOARD_ASSIGN_OR_RETURN(const PixelValues values, ToPixelValues(image));
  CBOARD_ASSIGN_OR_RETURN(Pixels grid, BlankPixels(rows * h.size, columns * w.size, c.size));
  for (std::size_t i = 0; i < n.size; ++i) {
    std::uint8_t* corner = grid.row(i / columns * h.size) + i % columns * w.size * grid.channels;
    Interleave(values.data() + i * n.stride, {h, w, c}, corner, grid.row_bytes());
  }
  return grid;
}

}  // namespace cboard::writer::media
