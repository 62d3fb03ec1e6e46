#include "writer/media/video_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/matchers.h"
#include "writer/media/dimension_order.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsWith;
using cboard::testing::Succeeds;
using Bytes = std::vector<std::uint8_t>;

struct Tiling {
  std::int64_t batch;
  std::size_t rows, columns;
};

TEST(LayOutVideo, TilesTheBatchAsTensorboardXDoes) {
  constexpr Tiling kTilings[] = {{1, 1, 1},  {2, 1, 2},  {3, 1, 4},   {4, 2, 2},
                                 {5, 2, 4},  {8, 2, 4},  {9, 2, 8},   {16, 4, 4},
                                 {17, 4, 8}, {31, 4, 8}, {33, 4, 16}, {64, 8, 8}};
  for (const auto& [batch, rows, columns] : kTilings) {
    Bytes bytes(static_cast<std::size_t>(batch));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i + 1);
    const Result<Video> video = LayOutVideo(TensorView(bytes, {batch, 1, 1, 1, 1}));
    ASSERT_THAT(video, Succeeds());
    EXPECT_EQ(video->height, rows) << batch;
    EXPECT_EQ(video->width, columns) << batch;
    bytes.resize(rows * columns);  // Row by row, then black.
    EXPECT_EQ(video->bytes, bytes) << batch;
  }
}

TEST(LayOutVideo, PutsEveryFrameInItsPlaceInEveryOrder) {
  // Two videos of three frames of 2 x 2 RGB, whose values show their position.
  const auto value = [](std::size_t n, std::size_t t, std::size_t c, std::size_t y, std::size_t x) {
    return static_cast<std::uint8_t>(1 + (((n * 3 + t) * 3 + c) * 2 + y) * 2 + x);
  };
  std::string order = "CHNTW";
  do {
    std::vector<std::int64_t> shape;
    for (const char letter : order) shape.push_back(letter == 'T' || letter == 'C' ? 3 : 2);
    const DimensionOrder at = ParseDimensions(shape, order, "NTCHW").value();
    Bytes bytes(72);
    const auto visit = [&](auto visitor) {
      for (std::size_t n = 0; n < 2; ++n)
        for (std::size_t t = 0; t < 3; ++t)
          for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t y = 0; y < 2; ++y)
              for (std::size_t x = 0; x < 2; ++x) visitor(n, t, c, y, x);
    };
    visit([&](auto n, auto t, auto c, auto y, auto x) {
      bytes[n * at['N'].stride + t * at['T'].stride + c * at['C'].stride + y * at['H'].stride +
            x * at['W'].stride] = value(n, t, c, y, x);
    });
    const Video video = LayOutVideo(TensorView(bytes, shape), order).value();
    ASSERT_EQ(video.frames, 3u);
    ASSERT_EQ(video.width, 4u);
    visit([&](auto n, auto t, auto c, auto y, auto x) {
      ASSERT_EQ(video.frame(t)[(y * 4 + n * 2 + x) * 3 + c], value(n, t, c, y, x)) << order;
    });
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(LayOutVideo, ScalesFloatsAndKeepsBytes) {
  const std::vector<float> floats = {0.5f, 1.f};
  EXPECT_EQ(LayOutVideo(TensorView(floats, {1, 2, 1, 1, 1}))->bytes, (Bytes{127, 255}));
  const Bytes bytes = {1, 200};
  EXPECT_EQ(LayOutVideo(TensorView(bytes, {1, 2, 1, 1, 1}), "ntchw")->bytes, bytes);
}

struct Hostile {
  const char* name;
  std::vector<std::int64_t> shape;
  const char* dataformats = "NTCHW";
  ErrorCode code = ErrorCode::kInvalidArgument;
};

class HostileVideo : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileVideo, IsRefused) {
  static constexpr std::uint8_t kByte = 0;
  const Hostile& hostile = GetParam();
  EXPECT_THAT(LayOutVideo(TensorView(DType::kUint8, &kByte, hostile.shape), hostile.dataformats),
              FailsWith(hostile.code));
}

INSTANTIATE_TEST_SUITE_P(, HostileVideo,
                         ::testing::Values(Hostile{"FourDimensions", {1, 3, 1, 1}, "TCHW"},
                                           Hostile{"RankAndFormatDiffer", {1, 3, 1, 1}},
                                           Hostile{"RepeatedLetter", {1, 1, 3, 1, 1}, "NTCHH"},
                                           Hostile{"TwoChannels", {1, 1, 2, 1, 1}},
                                           Hostile{"NoFrames", {1, 0, 3, 4, 4}},
                                           Hostile{"NoVideos", {0, 1, 3, 4, 4}},
                                           Hostile{"Negative", {1, 1, 3, -4, 4}},
                                           Hostile{"TooLarge",
                                                   {1, 1 << 10, 1, 1 << 10, 1 << 11},
                                                   "NTCHW",
                                                   ErrorCode::kResourceExhausted},
                                           Hostile{"TooLargeOnceTiled",
                                                   {(1 << 29) + 1, 1, 1, 1, 2},
                                                   "NTCHW",
                                                   ErrorCode::kResourceExhausted}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace cboard::writer::media
