// Videos as animated GIF files, the one moving picture that TensorBoard shows.
#pragma once

#include <string>

#include "cboard/base/result.h"
#include "writer/media/video_layout.h"

namespace cboard::writer::media {

// Plays forever at `fps` frames per second. GIF counts hundredths of a second; where they do not
// divide evenly, frames take turns, so that the whole video has its right length. Browsers play
// delays under two hundredths at ten frames per second, so 50 frames per second is the most.
//
// Each frame has a palette of its own: exact when it has at most 256 colours (always, for gray),
// else the nearest of 256. Alpha is dropped.
//
// Fails with kInvalidArgument when `fps` is not a positive number or a side is above 65535 pixels.
Result<std::string> EncodeGif(const Video& video, double fps);

}  // namespace cboard::writer::media
