// PNG files as pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"

namespace cboard::runtime {

struct RgbImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> pixels;  // Red, green, blue; rows from the top.
};

// Any kind of PNG; transparency is dropped. Fails with kDataLoss for damage and with
// kResourceExhausted for more than 16384 pixels on a side or 64 million in all.
Result<RgbImage> DecodePng(ByteSpan file);

}  // namespace cboard::runtime
