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

// Decodes any kind of PNG file and removes transparency. Fails with kDataLoss if the file is
// damaged, and with kResourceExhausted if a side has more than 16384 pixels or the image more than
// 64 million.
Result<RgbImage> DecodePng(ByteSpan file);

}  // namespace cboard::runtime
