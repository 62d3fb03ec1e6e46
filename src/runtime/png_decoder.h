// Decodes PNG files to pixels.
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
  std::vector<std::uint8_t> pixels;  // RGB; rows from top to bottom.
};

// Decodes any kind of PNG; transparency is removed. Fails with kDataLoss for damage and with
// kResourceExhausted for more than 16384 pixels per side or 64 million in total.
Result<RgbImage> DecodePng(ByteSpan file);

}  // namespace cboard::runtime
