#include "writer/media/image_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsSaying;
using cboard::testing::FailsWith;
using cboard::testing::Succeeds;
using Bytes = std::vector<std::uint8_t>;

Bytes Counting(std::size_t size) {
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

// A plain implementation, one element at a time: the element that `dataformats` calls (n, c, y, x).
std::uint8_t At(const TensorView& tensor, std::string_view dataformats, std::size_t n,
                std::size_t c, std::size_t y, std::size_t x) {
  std::size_t index = 0;
  for (std::size_t i = 0; i < dataformats.size(); ++i) {
    const char letter = dataformats[i];
    const std::size_t position = letter == 'N' ? n : letter == 'C' ? c : letter == 'H' ? y : x;
    index = index * static_cast<std::size_t>(tensor.shape[i]) + position;
  }
  return static_cast<const std::uint8_t*>(tensor.data)[index];
}

TEST(LayOutImage, InterleavesTheChannelsOfAPlanarImage) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6};  // 3 x 1 x 2.
  EXPECT_EQ(LayOutImage(TensorView(bytes, {3, 1, 2}), "CHW").value(),
            (Pixels{1, 2, 3, {1, 3, 5, 2, 4, 6}}));
}

TEST(LayOutImage, CopiesAnInterleavedImageAsItIs) {
  const Bytes bytes = Counting(2 * 3 * 4);
  EXPECT_EQ(LayOutImage(TensorView(bytes, {2, 3, 4}), "HWC").value(), (Pixels{2, 3, 4, bytes}));
}

TEST(LayOutImage, PutsEveryPixelOfEveryOrderInItsPlace) {
  for (const std::size_t channels : {2u, 3u, 4u}) {
    const std::size_t height = 5, width = 7;
    const Bytes bytes = Counting(height * width * channels);
    std::string order = "CHW";
    do {
      std::vector<std::int64_t> shape;
      for (const char letter : order) {
        shape.push_back(static_cast<std::int64_t>(letter == 'C'   ? channels
                                                  : letter == 'H' ? height
                                                                  : width));
      }
      const TensorView view(bytes, shape);
      const Pixels pixels = LayOutImage(view, order).value();
      ASSERT_EQ(pixels.height, height);
      ASSERT_EQ(pixels.width, width);
      ASSERT_EQ(pixels.channels, channels);
      for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
          for (std::size_t c = 0; c < channels; ++c) {
            ASSERT_EQ(pixels.row(y)[x * channels + c], At(view, order, 0, c, y, x)) << order;
          }
        }
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(LayOutImage, StoresGrayAsRgb) {
  const Bytes bytes = {7, 9};
  const Pixels expected{1, 2, 3, {7, 7, 7, 9, 9, 9}};
  EXPECT_EQ(LayOutImage(TensorView(bytes, {1, 2}), "HW").value(), expected);
  EXPECT_EQ(LayOutImage(TensorView(bytes, {2, 1}), "wh").value(), expected);
  EXPECT_EQ(LayOutImage(TensorView(bytes, {1, 1, 2}), "CHW").value(), expected);
  EXPECT_EQ(LayOutImage(TensorView(bytes, {1, 2, 1}), "HWC").value(), expected);
  EXPECT_EQ(LayOutImage(TensorView(bytes, {1, 1, 1, 2}), "NCHW").value(), expected);
}

TEST(LayOutImage, ScalesFloats) {
  const std::vector<float> values = {0.f, 0.5f, 1.f};
  EXPECT_EQ(LayOutImage(TensorView(values, {3, 1, 1}), "CHW").value(),
            (Pixels{1, 1, 3, {0, 127, 255}}));
}

TEST(LayOutImage, FillsRowsOfEightAndLeavesTheRestBlack) {
  const std::size_t count = 10, height = 2, width = 3;
  Bytes bytes(count * 3 * height * width);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i % 251 + 1);
  const TensorView view(bytes, {10, 3, 2, 3});
  const Pixels grid = LayOutImage(view, "NCHW").value();
  ASSERT_EQ(grid.height, 2 * height);
  ASSERT_EQ(grid.width, 8 * width);
  for (std::size_t y = 0; y < grid.height; ++y) {
    for (std::size_t x = 0; x < grid.width; ++x) {
      const std::size_t i = y / height * 8 + x / width;
      for (std::size_t c = 0; c < 3; ++c) {
        const int expected = i < count ? At(view, "NCHW", i, c, y % height, x % width) : 0;
        ASSERT_EQ(grid.row(y)[x * 3 + c], expected) << y << ", " << x;
      }
    }
  }
}

TEST(LayOutImage, MakesTheGridNoWiderThanTheBatch) {
  const Bytes bytes(3 * 4 * 2 * 2);
  const Pixels grid = LayOutImage(TensorView(bytes, {3, 2, 2, 4}), "NHWC").value();
  EXPECT_EQ(grid.width, 6u);
  EXPECT_EQ(grid.height, 2u);
  EXPECT_EQ(grid.channels, 4u);
}

struct Hostile {
  const char* name;
  std::vector<std::int64_t> shape;
  std::string dataformats;
  ErrorCode code = ErrorCode::kInvalidArgument;
};

class HostileImage : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileImage, IsRefused) {
  static constexpr std::uint8_t kByte = 0;
  const Hostile& hostile = GetParam();
  EXPECT_THAT(LayOutImage(TensorView(DType::kUint8, &kByte, hostile.shape), hostile.dataformats),
              FailsWith(hostile.code));
}

INSTANTIATE_TEST_SUITE_P(
    , HostileImage,
    ::testing::Values(
        Hostile{"Scalar", {}, ""}, Hostile{"OneDimension", {3}, "W"},
        Hostile{"FiveDimensions", {1, 1, 1, 1, 1}, "NTCHW"},
        Hostile{"NegativeHeight", {3, -1, 1}, "CHW"},
        Hostile{"EveryDimensionNegative", {-1, -1, -1}, "CHW"}, Hostile{"NoRows", {3, 0, 5}, "CHW"},
        Hostile{"NoColumns", {5, 0}, "HW"}, Hostile{"NoChannels", {0, 5, 5}, "CHW"},
        Hostile{"NoImages", {0, 3, 5, 5}, "NCHW"}, Hostile{"FiveChannels", {5, 1, 1}, "CHW"},
        Hostile{"TwoChannelsInABatch", {1, 2, 1, 1}, "NCHW"},
        Hostile{"SizeOverflows", {3, INT64_MAX, INT64_MAX}, "CHW"},
        Hostile{"TwoGigabytes", {4, 16384, 32768}, "CHW", ErrorCode::kResourceExhausted},
        Hostile{
            "GrayThatTriplesBeyondTheLimit", {32768, 32767}, "HW", ErrorCode::kResourceExhausted},
        Hostile{"RankAndFormatDiffer", {3, 4, 5}, "NCHW"},
        Hostile{"RepeatedLetter", {3, 4, 5}, "CCW"}),
    [](const auto& test) { return test.param.name; });

TEST(LayOutImage, SuspectsChannelsLast) {
  const Bytes bytes(5 * 6 * 3);
  EXPECT_THAT(LayOutImage(TensorView(bytes, {5, 6, 3}), "CHW"),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "image of shape [5, 6, 3] has 5 channels by dataformats 'CHW', expected "
                          "1 to 4; is it 'HWC'?"));
}

}  // namespace
}  // namespace cboard::writer::media
