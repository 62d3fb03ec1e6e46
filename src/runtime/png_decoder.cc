#include "runtime/png_decoder.h"

#include <spng.h>

#include <memory>
#include <string>

namespace cboard::runtime {
namespace {

constexpr std::uint32_t kMaxSide = 16384;
constexpr std::uint64_t kMaxPixels = 64'000'000;
constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 24;

}  // namespace

Result<RgbImage> DecodePng(ByteSpan file) {
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(0), spng_ctx_free);
  const auto damaged = [](int error) {
    return Fail(ErrorCode::kDataLoss,
                std::string("the PNG file is damaged: ") + spng_strerror(error));
  };
  if (context == nullptr)
    return Fail(ErrorCode::kResourceExhausted, "there is not enough memory to decode a PNG file");
  spng_set_image_limits(context.get(), kMaxSide, kMaxSide);
  spng_set_chunk_limits(context.get(), kMaxChunkBytes, kMaxChunkBytes);
  if (const int error = spng_set_png_buffer(context.get(), file.data(), file.size())) {
    return damaged(error);
  }
  spng_ihdr header;
  if (const int error = spng_get_ihdr(context.get(), &header)) {
    if (error == SPNG_EUSER_WIDTH || error == SPNG_EUSER_HEIGHT) {
      return Fail(ErrorCode::kResourceExhausted,
                  "the PNG file is wider or higher than 16384 pixels; give a smaller image");
    }
    return damaged(error);
  }
  if (std::uint64_t{header.width} * header.height > kMaxPixels) {
    return Fail(ErrorCode::kResourceExhausted, "the PNG file has " + std::to_string(header.width) +
                                                   " x " + std::to_string(header.height) +
                                                   " pixels, but at most 64 million can be read");
  }
  RgbImage image{.width = header.width, .height = header.height};
  image.pixels.resize(image.width * image.height * 3);
  if (const int error = spng_decode_image(context.get(), image.pixels.data(), image.pixels.size(),
                                          SPNG_FMT_RGB8, 0)) {
    return damaged(error);
  }
  return image;
}

}  // namespace cboard::runtime
