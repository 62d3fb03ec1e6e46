// Converts a tensor to an image by tensorboardX's rules: dimensions in any order, and a batch as a
// grid of images.
//
//   CBOARD_ASSIGN_OR_RETURN(const Pixels pixels, LayOutImage(images, "NCHW"));
#pragma once

#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

inline constexpr std::size_t kGridColumns = 8;

// Converts a tensor to an image. `dataformats` is any order of HW, CHW or NCHW, in either case.
//
//   HW    gray, stored as RGB.
//   CHW   1 (gray, stored as RGB), 2 (gray and alpha), 3 or 4 channels.
//   NCHW  1, 3 or 4 channels; the images fill rows of up to `grid_columns`, and the rest
//         of the last row is black.
//
// uint8 values are used unchanged; all other values are multiplied by 255 (pixel_values.h). Fails
// with kInvalidArgument if the tensor, the format or the number of channels is not valid or a
// dimension is zero, and with kResourceExhausted if the image exceeds kMaxPixelBytes.
Result<Pixels> LayOutImage(const TensorView& image, std::string_view dataformats,
                           std::size_t grid_columns = kGridColumns);

}  // namespace cboard::writer::media
