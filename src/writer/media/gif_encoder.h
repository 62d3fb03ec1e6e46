// Encodes videos as animated GIF files, the only video format that TensorBoard shows.
#pragma once

#include <string>

#include "cboard/base/result.h"
#include "writer/media/video_layout.h"

namespace cboard::writer::media {

// The GIF repeats without end at `fps` frames per second. GIF counts hundredths of a second; if
// they do not divide evenly, the lengths of frames vary so that the whole video has the correct
// length. Browsers play delays below two hundredths at ten frames per second, so 50 frames per
// second is the maximum.
//
// Each frame has its own palette: exact if it has at most 256 colors (always for gray), otherwise
// the nearest of 256 colors. Alpha is removed.
//
// Fails with kInvalidArgument if `fps` is not a positive number or a side exceeds 65535 pixels.
Result<std::string> EncodeGif(const Video& video, double fps);

}  // namespace cboard::writer::media
