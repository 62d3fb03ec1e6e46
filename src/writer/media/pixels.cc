#include "writer/media/pixels.h"

#include <string>

#include "cboard/base/strings.h"

namespace cboard::writer::media {

Result<std::size_t> CheckedPixelBytes(std::string_view what,
                                      std::initializer_list<std::size_t> sizes) {
  std::string product;
  for (const std::size_t size : sizes) {
    product += (product.empty() ? "" : " x ") + std::to_string(size);
  }
  std::size_t total = 1;
  for (const std::size_t size : sizes) {
    if (size == 0) {
      return Fail(ErrorCode::kInvalidArgument, "the " + std::string(what) + " of " + product +
                                                   " has no pixels; give sizes above 0");
    }
  }
  for (const std::size_t size : sizes) {
    if (size > kMaxPixelBytes / total) {
      return Fail(ErrorCode::kResourceExhausted,
                  "the " + std::string(what) + " of " + product +
                      " bytes is larger than the limit of " +
                      HumanBytes(static_cast<double>(kMaxPixelBytes)) +
                      "; check the shape, or log a smaller one");
    }
    total *= size;
  }
  return total;
}

Result<Pixels> BlankPixels(std::size_t height, std::size_t width, std::size_t channels) {
  CBOARD_ASSIGN_OR_RETURN(const std::size_t size,
                          CheckedPixelBytes("image", {height, width, channels}));
  return Pixels{height, width, channels, std::vector<std::uint8_t>(size)};
}

Result<void> ValidatePixels(const Pixels& pixels) {
  CBOARD_ASSIGN_OR_RETURN(
      const std::size_t size,
      CheckedPixelBytes("image", {pixels.height, pixels.width, pixels.channels}));
  if (pixels.channels > 4) {
    return Fail(ErrorCode::kInvalidArgument,
                "the image has " + std::to_string(pixels.channels) + " channels, expected 1 to 4");
  }
  if (pixels.bytes.size() != size) {
    return Fail(ErrorCode::kInvalidArgument,
                "the image of " + std::to_string(pixels.height) + " x " +
                    std::to_string(pixels.width) + " x " + std::to_string(pixels.channels) +
                    " has " + std::to_string(pixels.bytes.size()) + " bytes, but its shape needs " +
                    std::to_string(size));
  }
  return {};
}

}  // namespace cboard::writer::media
