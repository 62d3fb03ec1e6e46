#include "writer/media/interleave.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "testing/every_instruction_set.h"

namespace cboard::writer::media {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes RandomPixels(std::size_t size) {
  Bytes bytes(size);
  std::mt19937 random(29);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

TEST(Interleave, PutsEveryPixelInItsPlaceAndTouchesNothingElse) {
  testing::OnEveryInstructionSet([] {
    constexpr std::size_t kHeight = 3;
    for (std::size_t channels = 1; channels <= 4; ++channels) {
      for (std::size_t width = 1; width <= 200; ++width) {
        const Bytes source = RandomPixels(kHeight * width * channels);
        const Dimension rows{kHeight, width}, columns{width, 1};
        const ImageDimensions orders[] = {
            {rows, columns, {channels, kHeight * width}},                     // Planes.
            {{kHeight, width * channels}, {width, channels}, {channels, 1}},  // Pixels.
            {{kHeight, 1}, {width, kHeight}, {channels, kHeight * width}},    // Columns.
            {{kHeight, width}, {width, 1}, {channels, 0}},                    // Gray, repeated.
        };
        for (const ImageDimensions& image : orders) {
          const std::size_t stride = width * channels + 5;
          Bytes target(kHeight * stride, 0xee);
          Interleave(source.data(), image, target.data(), stride);
          for (std::size_t y = 0; y < kHeight; ++y) {
            for (std::size_t i = 0; i < stride; ++i) {
              const std::size_t from = y * image.height.stride + i / channels * image.width.stride +
                                       i % channels * image.channels.stride;
              ASSERT_EQ(target[y * stride + i], i < width * channels ? source[from] : 0xee)
                  << width << " x " << channels;
            }
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace cboard::writer::media
