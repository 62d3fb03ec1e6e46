// Encodes videos as animated GIF files, the only video format that TensorBoard shows.
#pragma once

#include <string>

#include "cboard/base/result.h"
#include "writer/media/video_layout.h"

namespace cboard::writer::media {

// Encodes `video` as a GIF that repeats endlessly, at `fps` frames per second. GIF files measure
// time in hundredths of a second. If the duration of a frame is not a whole number of them, the
// durations vary so that the whole video has the correct length. The maximum is 50 frames per
// second: browsers play shorter durations than two hundredths at ten frames per second.
//
// Each frame has its own palette. It is exact if the frame has at most 256 colors, as gray frames
// always do; otherwise each pixel gets the nearest of 256 colors. Alpha is removed.
//
// Fails with kInvalidArgument if `fps` is not a positive number or a side exceeds 65535 pixels.
Result<std::string> EncodeGif(const Video& video, double fps);

}  // namespace cboard::writer::media
