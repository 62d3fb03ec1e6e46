#include "writer/media/gif_encoder.h"

#include <gif_lib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsWith;
using cboard::testing::Succeeds;

struct Decoded {
  Video video;              // Always RGB.
  std::vector<int> delays;  // Hundredths of a second.
};

struct Input {
  const std::string& file;
  std::size_t at = 0;
};

int ReadInput(GifFileType* gif, GifByteType* bytes, int size) {
  auto* input = static_cast<Input*>(gif->UserData);
  const std::size_t count =
      std::min(static_cast<std::size_t>(size), input->file.size() - input->at);
  std::memcpy(bytes, input->file.data() + input->at, count);
  input->at += count;
  return static_cast<int>(count);
}

Decoded Decode(const std::string& file) {
  Input input{file};
  int error = 0;
  const auto close = [](GifFileType* open) { DGifCloseFile(open, nullptr); };
  const std::unique_ptr<GifFileType, decltype(close)> gif(DGifOpen(&input, ReadInput, &error),
                                                          close);
  EXPECT_NE(gif, nullptr);
  EXPECT_EQ(DGifSlurp(gif.get()), GIF_OK);
  EXPECT_EQ(input.at, file.size());
  Decoded decoded;
  decoded.video = {static_cast<std::size_t>(gif->ImageCount),
                   static_cast<std::size_t>(gif->SHeight),
                   static_cast<std::size_t>(gif->SWidth),
                   3,
                   {}};
  for (int i = 0; i < gif->ImageCount; ++i) {
    const SavedImage& image = gif->SavedImages[i];
    EXPECT_EQ(image.ImageDesc.Width, gif->SWidth);
    EXPECT_EQ(image.ImageDesc.Height, gif->SHeight);
    GraphicsControlBlock control;
    EXPECT_EQ(DGifSavedExtensionToGCB(gif.get(), i, &control), GIF_OK);
    decoded.delays.push_back(control.DelayTime);
    const ColorMapObject* map = image.ImageDesc.ColorMap;
    for (int p = 0; p < gif->SWidth * gif->SHeight; ++p) {
      const GifColorType& color = map->Colors[image.RasterBits[p]];
      decoded.video.bytes.insert(decoded.video.bytes.end(), {color.Red, color.Green, color.Blue});
    }
  }
  return decoded;
}

TEST(EncodeGif, KeepsEveryPixelOfFramesWithFewColours) {
  Video video{3, 5, 7, 3, std::vector<std::uint8_t>(3 * 5 * 7 * 3)};
  std::mt19937 random(5);
  for (std::size_t i = 0; i < video.bytes.size(); ++i) {
    video.bytes[i] = static_cast<std::uint8_t>(random());
  }
  EXPECT_EQ(Decode(EncodeGif(video, 4).value()).video, video);  // 35 colours a frame.
}

TEST(EncodeGif, KeepsEveryGray) {
  Video video{2, 16, 16, 1, std::vector<std::uint8_t>(512)};
  std::iota(video.bytes.begin(), video.bytes.end(), std::uint8_t{0});
  const Video decoded = Decode(EncodeGif(video, 4).value()).video;
  ASSERT_EQ(decoded.bytes.size(), 3 * video.bytes.size());
  for (std::size_t i = 0; i < decoded.bytes.size(); ++i) {
    ASSERT_EQ(decoded.bytes[i], video.bytes[i / 3]);
  }
}

TEST(EncodeGif, StaysNearTheColoursWhenThereAreTooMany) {
  Video video{2, 64, 64, 3, std::vector<std::uint8_t>(2 * 64 * 64 * 3)};
  for (std::size_t i = 0; i < 2 * 64 * 64; ++i) {
    video.bytes[3 * i] = static_cast<std::uint8_t>(i % 64 * 4);
    video.bytes[3 * i + 1] = static_cast<std::uint8_t>(i / 64 * 2);
    video.bytes[3 * i + 2] = 90;
  }
  const Video decoded = Decode(EncodeGif(video, 4).value()).video;
  ASSERT_EQ(decoded.frames, 2u);
  double total = 0;
  for (std::size_t i = 0; i < video.bytes.size(); ++i) {
    const int error = std::abs(decoded.bytes[i] - video.bytes[i]);
    EXPECT_LE(error, 48);
    total += error;
  }
  EXPECT_LT(total / static_cast<double>(video.bytes.size()), 5);
}

TEST(EncodeGif, DropsAlpha) {
  const Video video{1, 1, 2, 4, {10, 20, 30, 0, 40, 50, 60, 255}};
  EXPECT_EQ(Decode(EncodeGif(video, 4).value()).video.bytes,
            (std::vector<std::uint8_t>{10, 20, 30, 40, 50, 60}));
}

TEST(EncodeGif, PlaysForEver) {
  const std::string file = EncodeGif(Video{1, 1, 1, 1, {0}}, 4).value();
  EXPECT_EQ(file.substr(0, 6), "GIF89a");
  EXPECT_NE(file.find(std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19)), std::string::npos);
  EXPECT_EQ(file.back(), ';');
}

TEST(EncodeGif, TurnsFramesPerSecondIntoDelays) {
  const auto delays = [](double fps, std::size_t frames) {
    const Video video{frames, 1, 1, 1, std::vector<std::uint8_t>(frames)};
    return Decode(EncodeGif(video, fps).value()).delays;
  };
  EXPECT_EQ(delays(4, 2), (std::vector<int>{25, 25}));
  EXPECT_EQ(delays(1000, 2), (std::vector<int>{2, 2}));
  EXPECT_EQ(delays(1e-9, 2), (std::vector<int>{65535, 65535}));
  const std::vector<int> thirds = delays(30, 60);
  EXPECT_EQ(std::accumulate(thirds.begin(), thirds.end(), 0), 200);
}

TEST(EncodeGif, RefusesWhatIsNoSpeed) {
  for (const double fps : {0.0, -4.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(EncodeGif(Video{1, 1, 1, 1, {0}}, fps), FailsWith(ErrorCode::kInvalidArgument));
  }
}

struct BadVideo {
  const char* name;
  Video video;
};

class MalformedVideo : public ::testing::TestWithParam<BadVideo> {};

TEST_P(MalformedVideo, IsRefused) {
  EXPECT_THAT(EncodeGif(GetParam().video, 4), FailsWith(ErrorCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(
    , MalformedVideo,
    ::testing::Values(BadVideo{"Nothing", {}}, BadVideo{"NoFrames", {0, 1, 1, 1, {}}},
                      BadVideo{"TwoChannels", {1, 1, 1, 2, {1, 2}}},
                      BadVideo{"TooFewBytes", {1, 2, 2, 1, {1, 2, 3}}},
                      BadVideo{"TooWide", {1, 1, 65536, 1, std::vector<std::uint8_t>(65536)}}),
    [](const auto& test) { return test.param.name; });

TEST(EncodeGif, TakesTheWidestFrameThatGifHas) {
  EXPECT_THAT(EncodeGif(Video{1, 1, 65535, 1, std::vector<std::uint8_t>(65535)}, 4), Succeeds());
}

}  // namespace
}  // namespace cboard::writer::media
