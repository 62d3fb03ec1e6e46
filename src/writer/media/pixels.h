// An image in memory. image_layout.h creates it from a tensor, and png_encoder.h writes it to a
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::writer::media {

// Maximum size of an image, video or sprite. A larger size is usually a mistake in the shape, and
// no browser shows such an image.
inline constexpr std::size_t kMaxPixelBytes = std::size_t{1} << 30;

// An image, row by row from the top. The channels of a pixel are adjacent: gray (1), gray and alpha
// (2), RGB (3) or RGBA (4).
struct Pixels {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<std::uint8_t> bytes;  // height * width * channels bytes.

  std::size_t row_bytes() const { return width * channels; }
  std::uint8_t* row(std::size_t y) { return bytes.data() + y * row_bytes(); }
  const std::uint8_t* row(std::size_t y) const { return bytes.data() + y * row_bytes(); }

  friend bool operator==(const Pixels&, const Pixels&) = default;
};

// Returns the product of `sizes`. Use it before memory is allocated. Fails with kInvalidArgument if
// a size is zero, and with kResourceExhausted if the product exceeds kMaxPixelBytes. The error
// message starts with `what`.
Result<std::size_t> CheckedPixelBytes(std::string_view what,
                                      std::initializer_list<std::size_t> sizes);

// Creates a black image. If the image has alpha, it is transparent.
Result<Pixels> BlankPixels(std::size_t height, std::size_t width, std::size_t channels);

// Checks that `pixels` is not empty, has 1 to 4 channels, and has the right number of bytes.
Result<void> ValidatePixels(const Pixels& pixels);

}  // namespace cboard::writer::media
