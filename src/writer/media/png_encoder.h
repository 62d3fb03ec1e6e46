// Pictures as PNG files, quickly: a step of training should not wait for its sample images.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string file, EncodePng(pixels));
#pragma once

#include <string>

#include "cboard/base/result.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

enum class PngCompression {
  kFast,   // For logs: many pictures, most of them never looked at.
  kSmall,  // For reports, which are mailed around: a tenth smaller, at a tenth of the speed.
};

// Eight bits per channel; 1 to 4 channels are PNG's gray, gray and alpha, RGB and RGBA. Lossless.
// Fails with kInvalidArgument or kResourceExhausted when `pixels` is not a picture (pixels.h).
//
// Keeps working memory, at most about 6 MiB per thread, until the thread ends.
Result<std::string> EncodePng(const Pixels& pixels,
                              PngCompression compression = PngCompression::kFast);

}  // namespace cboard::writer::media
