// Converts a tensor to the frames of a video by tensorboardX's rules: the videos of a batch play
// side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::writer::media {

// The frames of a video. Each frame has the memory layout of Pixels.
struct Video {
  std::size_t frames = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;  // 1, 3 or 4.
  std::vector<std::uint8_t> bytes;

  std::size_t frame_bytes() const { return height * width * channels; }
  const std::uint8_t* frame(std::size_t t) const { return bytes.data() + t * frame_bytes(); }

  friend bool operator==(const Video&, const Video&) = default;
};

// Converts a tensor to a video. `dataformats` is any order of NTCHW, in either case. The batch is
// padded with black videos to a power of two and arranged row by row, at least as wide as high: 2
// as 1 x 2, 3 as 1 x 4, 4 to 7 as 2 rows, 16 as 4 x 4. Elements become bytes as in image_layout.h.
//
// Fails with kInvalidArgument if the tensor or the format is not valid, a dimension is zero, or the
// number of channels is not 1, 3 or 4. Fails with kResourceExhausted if the video exceeds
// kMaxPixelBytes.
Result<Video> LayOutVideo(const TensorView& video, std::string_view dataformats = "NTCHW");

}  // namespace cboard::writer::media
