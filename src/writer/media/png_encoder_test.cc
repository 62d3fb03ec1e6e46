#include "writer/media/png_encoder.h"

#include <gtest/gtest.h>
#include <spng.h>

#include <cmath>
#include <memory>
#include <random>
#include <thread>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsWith;
using cboard::testing::Succeeds;

// Reads `file` with libspng, which shares nothing with the encoder and checks every checksum.
Pixels Decode(const std::string& file) {
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> png(spng_ctx_new(0), spng_ctx_free);
  spng_set_crc_action(png.get(), SPNG_CRC_ERROR, SPNG_CRC_ERROR);
  EXPECT_EQ(spng_set_png_buffer(png.get(), file.data(), file.size()), 0);
  spng_ihdr header{};
  EXPECT_EQ(spng_get_ihdr(png.get(), &header), 0);
  EXPECT_EQ(header.bit_depth, 8);
  std::size_t size = 0;
  EXPECT_EQ(spng_decoded_image_size(png.get(), SPNG_FMT_PNG, &size), 0);
  Pixels pixels{header.height, header.width, size / header.height / header.width,
                std::vector<std::uint8_t>(size)};
  EXPECT_EQ(spng_decode_image(png.get(), pixels.bytes.data(), size, SPNG_FMT_PNG, 0), 0);
  EXPECT_EQ(spng_decode_chunks(png.get()), 0);  // Up to the end of the file.
  return pixels;
}

enum class Kind { kBlack, kNoise, kRamp, kStripes, kRepeatedNoise };

Pixels Make(Kind kind, std::size_t height, std::size_t width, std::size_t channels) {
  Pixels pixels = BlankPixels(height, width, channels).value();
  std::mt19937 random(static_cast<unsigned>(height * 131 + width * 17 + channels));
  for (std::size_t i = 0; i < pixels.bytes.size(); ++i) {
    const std::size_t x = i / channels % width, y = i / channels / width;
    std::size_t value = 0;
    if (kind == Kind::kNoise) value = random();
    if (kind == Kind::kRamp) value = x * 2 + y * 3 + i % channels * 40;
    if (kind == Kind::kStripes) value = y % 2 == 0 ? 255 : x;
    if (kind == Kind::kRepeatedNoise)
      value = y < 4 ? random() : pixels.bytes[i - 4 * width * channels];
    pixels.bytes[i] = static_cast<std::uint8_t>(value);
  }
  return pixels;
}

constexpr Kind kKinds[] = {Kind::kBlack, Kind::kNoise, Kind::kRamp, Kind::kStripes,
                           Kind::kRepeatedNoise};

struct Shape {
  std::size_t height, width;
};

TEST(EncodePng, IsUndoneByADecoderForEverySizeAndNumberOfChannels) {
  constexpr Shape kShapes[] = {{1, 1},   {1, 2},   {2, 1},   {1, 1000}, {1000, 1},
                               {3, 5},   {16, 16}, {17, 31}, {64, 33},  {1, 70000},
                               {5, 255}, {4, 256}, {7, 257}, {300, 200}};
  for (const auto& [height, width] : kShapes) {
    for (std::size_t channels = 1; channels <= 4; ++channels) {
      for (const Kind kind : kKinds) {
        for (const auto compression : {PngCompression::kFast, PngCompression::kSmall}) {
          const Pixels pixels = Make(kind, height, width, channels);
          const Result<std::string> file = EncodePng(pixels, compression);
          ASSERT_THAT(file, Succeeds());
          ASSERT_EQ(Decode(*file), pixels) << height << " x " << width << " x " << channels
                                           << ", kind " << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST(EncodePng, IsUndoneForAnyPicture) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const Pixels pixels =
        Make(kKinds[random() % 5], 1 + random() % 90, 1 + random() % 90, 1 + random() % 4);
    ASSERT_EQ(Decode(EncodePng(pixels).value()), pixels);
  }
}

TEST(EncodePng, BeginsAndEndsAsTheFormatSays) {
  const std::string file = EncodePng(Make(Kind::kBlack, 2, 3, 3)).value();
  EXPECT_EQ(file.substr(0, 33),
            std::string("\x89PNG\r\n\x1a\n"
                        "\0\0\0\rIHDR\0\0\0\3\0\0\0\2\10\2\0\0\0\x12\x16\xf1\x4d",
                        33));
  EXPECT_EQ(file.substr(file.size() - 12), std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12));
}

TEST(EncodePng, TakesLittleMoreRoomThanNoiseItself) {
  const Pixels noise = Make(Kind::kNoise, 256, 256, 3);
  EXPECT_LT(EncodePng(noise).value().size(), noise.bytes.size() + 1000);
}

TEST(EncodePng, SeesWhatRepeatsEvenWhenItLooksLikeNoise) {
  const Pixels tiles = Make(Kind::kRepeatedNoise, 256, 256, 3);
  EXPECT_LT(EncodePng(tiles).value().size(), tiles.bytes.size() / 8);
}

TEST(EncodePng, MakesSmoothPicturesSmall) {
  const Pixels ramp = Make(Kind::kRamp, 256, 256, 3);
  EXPECT_LT(EncodePng(ramp).value().size(), ramp.bytes.size() / 20);
  const Pixels black = Make(Kind::kBlack, 256, 256, 3);
  EXPECT_LT(EncodePng(black).value().size(), 2000u);
}

TEST(EncodePng, WorksInManyThreadsAtOnce) {
  const Pixels pixels = Make(Kind::kRamp, 40, 40, 3);
  const std::string expected = EncodePng(pixels).value();
  std::vector<std::thread> threads;
  std::vector<std::string> files(4);
  for (std::string& file : files) threads.emplace_back([&] { file = EncodePng(pixels).value(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& file : files) EXPECT_EQ(file, expected);
}

struct BadPixels {
  const char* name;
  Pixels pixels;
};

class MalformedPixels : public ::testing::TestWithParam<BadPixels> {};

TEST_P(MalformedPixels, AreRefused) {
  EXPECT_THAT(EncodePng(GetParam().pixels), FailsWith(ErrorCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(, MalformedPixels,
                         ::testing::Values(BadPixels{"Nothing", {}},
                                           BadPixels{"NoRows", {0, 5, 3, {}}},
                                           BadPixels{"NoChannels", {5, 5, 0, {}}},
                                           BadPixels{"FiveChannels", {1, 1, 5, {1, 2, 3, 4, 5}}},
                                           BadPixels{"TooFewBytes", {2, 2, 1, {1, 2, 3}}},
                                           BadPixels{"TooManyBytes", {1, 1, 1, {1, 2, 3}}}),
                         [](const auto& test) { return test.param.name; });

TEST(EncodePng, RefusesSizesThatOverflow) {
  EXPECT_THAT(EncodePng(Pixels{SIZE_MAX, SIZE_MAX, 4, {}}),
              FailsWith(ErrorCode::kResourceExhausted));
}

}  // namespace
}  // namespace cboard::writer::media
