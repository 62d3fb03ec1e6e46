#include "writer/media/sprite.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsSaying;
using cboard::testing::FailsWith;
using Bytes = std::vector<std::uint8_t>;

TEST(LayOutSprite, FillsASquareRowByRowAndLeavesTheBottomBlack) {
  for (const auto& [count, columns] :
       {std::pair{1u, 1u}, {2u, 2u}, {3u, 2u}, {4u, 2u}, {5u, 3u}, {9u, 3u}, {10u, 4u}}) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i + 1);
    const Pixels sprite =
        LayOutSprite(TensorView(bytes, {static_cast<std::int64_t>(count), 1, 1, 1})).value();
    ASSERT_EQ(sprite.width, columns);
    ASSERT_EQ(sprite.height, columns);
    ASSERT_EQ(sprite.channels, 3u);
    for (std::size_t i = 0; i < columns * columns; ++i) {
      EXPECT_EQ(sprite.bytes[3 * i], i < count ? i + 1 : 0) << count;
      EXPECT_EQ(sprite.bytes[3 * i + 2], sprite.bytes[3 * i]) << count;
    }
  }
}

TEST(LayOutSprite, ClampsFloats) {
  const std::vector<float> image = {-0.5f, 0.5f, 2.f};
  EXPECT_EQ(LayOutSprite(TensorView(image, {1, 3, 1, 1}))->bytes, (Bytes{0, 127, 255}));
}

TEST(LayOutSprite, KeepsColourChannelsApart) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(LayOutSprite(TensorView(bytes, {1, 3, 2, 2}))->bytes,
            (Bytes{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
}

struct BadSprite {
  const char* name;
  std::vector<std::int64_t> shape;
  ErrorCode code = ErrorCode::kInvalidArgument;
};

class MalformedSprite : public ::testing::TestWithParam<BadSprite> {};

TEST_P(MalformedSprite, IsRefused) {
  static constexpr std::uint8_t kByte = 0;
  EXPECT_THAT(LayOutSprite(TensorView(DType::kUint8, &kByte, GetParam().shape)),
              FailsWith(GetParam().code));
}

INSTANTIATE_TEST_SUITE_P(
    , MalformedSprite,
    ::testing::Values(
        BadSprite{"ThreeDimensions", {3, 4, 4}}, BadSprite{"NotSquare", {1, 3, 4, 5}},
        BadSprite{"FourChannels", {1, 4, 4, 4}}, BadSprite{"NoImages", {0, 3, 4, 4}},
        BadSprite{"NoPixels", {5, 3, 0, 0}}, BadSprite{"Negative", {-1, 3, 4, 4}},
        BadSprite{"OneTooWide", {1, 1, 8193, 8193}, ErrorCode::kResourceExhausted},
        BadSprite{"TooMany", {5000, 1, 128, 128}, ErrorCode::kResourceExhausted},
        BadSprite{"MoreThanTheMemoryLimit", {1 << 20, 3, 32, 32}, ErrorCode::kResourceExhausted}),
    [](const auto& test) { return test.param.name; });

TEST(LayOutSprite, FillsTheProjectorsLimitExactly) {
  const Bytes bytes(8 * 1024 * 1024);
  EXPECT_EQ(LayOutSprite(TensorView(bytes, {8, 1, 1024, 1024}))->width, 3072u);
  EXPECT_THAT(LayOutSprite(TensorView(bytes, {8, 1, 4096, 256})),
              FailsSaying(ErrorCode::kInvalidArgument, "square"));
}

}  // namespace
}  // namespace cboard::writer::media
