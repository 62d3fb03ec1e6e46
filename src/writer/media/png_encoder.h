// Encodes images as PNG files, fast enough for logging during training.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string file, EncodePng(pixels));
#pragma once

#include <string>

#include "cboard/base/result.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

enum class PngCompression {
  kFast,   // For logs with many images, most of which nobody views.
  kSmall,  // For reports that are sent by mail: a tenth smaller, at a tenth of the speed.
};

// Encodes `pixels` losslessly with eight bits per channel; 1 to 4 channels become PNG's gray, gray
// and alpha, RGB and RGBA. Fails with kInvalidArgument or kResourceExhausted if `pixels` is not a
// valid image (pixels.h).
//
// Keeps working memory, at most about 6 MiB per thread, until the thread ends.
Result<std::string> EncodePng(const Pixels& pixels,
                              PngCompression compression = PngCompression::kFast);

}  // namespace cboard::writer::media
