#include "writer/media/resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsSaying;
using cboard::testing::FailsWith;

Pixels Flat(std::size_t height, std::size_t width, std::size_t channels, std::uint8_t value) {
  return {height, width, channels, std::vector<std::uint8_t>(height * width * channels, value)};
}

TEST(Resize, ByOneChangesNothing) {
  const Pixels pixels{1, 2, 3, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(Resize(pixels, 1).value(), pixels);
}

TEST(Resize, KeepsAPlainColour) {
  for (const double factor : {0.1, 0.5, 0.77, 1.5, 3.0}) {
    for (const std::uint8_t value : std::vector<std::uint8_t>{0, 1, 128, 255}) {
      const Pixels resized = Resize(Flat(20, 31, 3, value), factor).value();
      EXPECT_EQ(resized.height, static_cast<std::size_t>(20 * factor));
      EXPECT_EQ(resized.width, static_cast<std::size_t>(31 * factor));
      EXPECT_EQ(resized, Flat(resized.height, resized.width, 3, value)) << factor;
    }
  }
}

TEST(Resize, MirrorsAPictureThatIsMirrored) {
  Pixels pixels = Flat(1, 9, 1, 0);
  pixels.bytes = {0, 10, 250, 30, 90, 30, 250, 10, 0};
  const Pixels resized = Resize(pixels, 2.0).value();
  ASSERT_EQ(resized.width, 18u);
  for (std::size_t x = 0; x < 9; ++x) EXPECT_EQ(resized.row(0)[x], resized.row(0)[17 - x]);
}

TEST(Resize, FollowsASlopeInBothDirections) {
  Pixels pixels = Flat(64, 64, 1, 0);
  for (std::size_t y = 0; y < 64; ++y) {
    for (std::size_t x = 0; x < 64; ++x) pixels.row(y)[x] = static_cast<std::uint8_t>(x + 2 * y);
  }
  for (const double factor : {0.5, 2.0}) {
    const Pixels resized = Resize(pixels, factor).value();
    const auto margin = static_cast<std::size_t>(8 * std::max(factor, 1.0));  // Edges bend.
    for (std::size_t y = margin; y + margin < resized.height; ++y) {
      for (std::size_t x = margin; x + margin < resized.width; ++x) {
        const double expected = (static_cast<double>(x) + .5) / factor - .5 +
                                2 * ((static_cast<double>(y) + .5) / factor - .5);
        EXPECT_NEAR(resized.row(y)[x], expected, 1.5);
      }
    }
  }
}

TEST(Resize, AveragesFineDetailAway) {
  Pixels board = Flat(64, 64, 1, 0);
  for (std::size_t i = 0; i < board.bytes.size(); ++i) {
    board.bytes[i] = (i + i / 64) % 2 == 0 ? 255 : 0;
  }
  const Pixels gray = Resize(board, 0.125).value();
  for (const std::uint8_t value : gray.bytes) EXPECT_NEAR(value, 128, 6);
}

TEST(Resize, RefusesWhatIsNoSize) {
  const Pixels pixels = Flat(4, 4, 3, 0);
  for (const double factor :
       {0.0, -1.0, 0.1, 1e-300, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(Resize(pixels, factor), FailsWith(ErrorCode::kInvalidArgument)) << factor;
  }
  EXPECT_THAT(Resize(pixels, 1e300), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(Resize(pixels, 1e4), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(Resize(pixels, 0.2),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "rescale, 0.2, is too small for an image of 4 x 4 pixels"));
}

}  // namespace
}  // namespace cboard::writer::media
