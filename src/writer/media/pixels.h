// A picture in memory: what image_layout.h makes of a tensor and png_encoder.h turns into a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::writer::media {

// No picture, video or sprite takes more than this. A larger one is a mistaken shape far more often
// than a wish, and no browser shows it.
inline constexpr std::size_t kMaxPixelBytes = std::size_t{1} << 30;

// Row by row from the top, channels interleaved: gray (1), gray and alpha (2), RGB (3), RGBA (4).
struct Pixels {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<std::uint8_t> bytes;  // height * width * channels of them.

  std::size_t row_bytes() const { return width * channels; }
  std::uint8_t* row(std::size_t y) { return bytes.data() + y * row_bytes(); }
  const std::uint8_t* row(std::size_t y) const { return bytes.data() + y * row_bytes(); }

  friend bool operator==(const Pixels&, const Pixels&) = default;
};

// The product of `sizes`, to be asked before memory is. Fails with kInvalidArgument when a size is
// zero and with kResourceExhausted above kMaxPixelBytes; `what` begins the message.
Result<std::size_t> CheckedPixelBytes(std::string_view what,
                                      std::initializer_list<std::size_t> sizes);

// A black picture (transparent, when it has alpha).
Result<Pixels> BlankPixels(std::size_t height, std::size_t width, std::size_t channels);

// Whether `pixels` has a size, 1 to 4 channels and as many bytes as they make.
Result<void> ValidatePixels(const Pixels& pixels);

}  // namespace cboard::writer::media
