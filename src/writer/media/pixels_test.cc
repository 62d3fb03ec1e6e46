#include "writer/media/pixels.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsSaying;
using cboard::testing::FailsWith;

TEST(CheckedPixelBytes, Multiplies) {
  EXPECT_EQ(CheckedPixelBytes("picture", {2, 3, 4}).value(), 24u);
  EXPECT_EQ(CheckedPixelBytes("picture", {kMaxPixelBytes}).value(), kMaxPixelBytes);
  EXPECT_EQ(CheckedPixelBytes("picture", {1 << 15, 1 << 15}).value(), kMaxPixelBytes);
}

TEST(CheckedPixelBytes, NeverOverflows) {
  EXPECT_THAT(CheckedPixelBytes("picture", {kMaxPixelBytes, 2}),
              FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(CheckedPixelBytes("picture", {SIZE_MAX, SIZE_MAX, SIZE_MAX}),
              FailsWith(ErrorCode::kResourceExhausted));
  // A product that would wrap around to something small.
  EXPECT_THAT(CheckedPixelBytes("picture", {std::size_t{1} << 63, 2, 3}),
              FailsWith(ErrorCode::kResourceExhausted));
}

TEST(CheckedPixelBytes, RefusesNothingBeforeItRefusesTooMuch) {
  EXPECT_THAT(CheckedPixelBytes("picture", {SIZE_MAX, 0, SIZE_MAX}),
              FailsSaying(ErrorCode::kInvalidArgument, "has no pixels"));
}

TEST(BlankPixels, IsBlack) {
  const Pixels pixels = BlankPixels(2, 3, 4).value();
  EXPECT_EQ(pixels.bytes, std::vector<std::uint8_t>(24));
  EXPECT_EQ(pixels.row(1), pixels.bytes.data() + 12);
}

}  // namespace
}  // namespace cboard::writer::media
