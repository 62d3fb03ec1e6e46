#include "writer/media/wav_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cboard/base/bytes.h"
#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsSaying;
using cboard::testing::FailsWith;
using ::testing::ElementsAre;

std::vector<int> Samples(const Wav& wav) {
  std::vector<int> samples;
  for (std::size_t at = 44; at < wav.file.size(); at += 2) {
    samples.push_back(LoadLittleEndian<std::int16_t>(AsBytes(wav.file).subspan(at)));
  }
  return samples;
}

TEST(EncodeWav, WritesThePlainHeaderAndLittleEndianSamples) {
  const std::vector<float> sound = {0.f, 0.5f, -0.5f, 1.f};
  const Wav wav = EncodeWav(TensorView(sound, {2, 2}), 44100).value();
  EXPECT_EQ(wav.file, std::string("RIFF\x2c\0\0\0WAVE"
                                  "fmt \x10\0\0\0\x01\0\x02\0\x44\xac\0\0\x10\xb1\x02\0\x04\0\x10\0"
                                  "data\x08\0\0\0\0\0\0\x40\0\xc0\xff\x7f",
                                  52));
  EXPECT_EQ(wav.frames, 2u);
  EXPECT_EQ(wav.channels, 2u);
  EXPECT_FALSE(wav.clipped);
}

// Values of libsndfile's clipping converter, in units of the last bit. It rounds at 32 bits and
// then drops the lower 16 bits, which rounds towards minus infinity.
TEST(EncodeWav, RoundsAsLibsndfileDoes) {
  const double bit = std::ldexp(1, -15);
  EXPECT_THAT(Samples(EncodeWav({-2.5 * bit, -1.5 * bit, -0.5 * bit, 0.5 * bit, 1.5 * bit,
                                 2.5 * bit, bit, -bit},
                                8000)
                          .value()),
              ElementsAre(-3, -2, -1, 0, 1, 2, 1, -1));
  const auto b = static_cast<float>(bit);
  EXPECT_THAT(
      Samples(EncodeWav({-2.5f * b, -1.5f * b, -0.5f * b, 0.5f * b, 1.5f * b}, 8000).value()),
      ElementsAre(-3, -2, -1, 0, 1));
  // A value just below a step: the 32-bit value rounds up to the step, or does not.
  const double step = std::ldexp(1, -31);
  EXPECT_THAT(
      Samples(
          EncodeWav({bit - 0.4 * step, bit - 0.6 * step, 1 - step, 1 - 1.6 * step}, 8000).value()),
      ElementsAre(1, 0, 32767, 32767));
}

TEST(EncodeWav, ClipsAndSaysSo) {
  const Wav loud = EncodeWav({1.1f, -1.1f, 1.f, -1.f, 0.f}, 8000).value();
  EXPECT_TRUE(loud.clipped);
  EXPECT_THAT(Samples(loud), ElementsAre(32767, -32768, 32767, -32768, 0));
  EXPECT_FALSE(EncodeWav({1.f, -1.f}, 8000)->clipped);
}

TEST(EncodeWav, TurnsNanIntoSilenceAndInfinityIntoTheLoudest) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(Samples(EncodeWav({std::nan(""), infinity, -infinity}, 8000).value()),
              ElementsAre(0, 32767, -32768));
}

TEST(EncodeWav, TakesEveryElementType) {
  EXPECT_THAT(
      Samples(EncodeWav({std::int16_t{0}, std::int16_t{1}, std::int16_t{-1}}, 8000).value()),
      ElementsAre(0, 32767, -32768));
  const std::vector<std::uint16_t> halves = {0x3800, 0xb800};  // ±0.5.
  EXPECT_THAT(Samples(EncodeWav(TensorView(DType::kFloat16, halves.data(), {2, 1}), 8000).value()),
              ElementsAre(16384, -16384));
}

struct BadSound {
  const char* name;
  std::vector<std::int64_t> shape;
  int sample_rate = 44100;
  ErrorCode code = ErrorCode::kInvalidArgument;
};

class MalformedSound : public ::testing::TestWithParam<BadSound> {};

TEST_P(MalformedSound, IsRefused) {
  static constexpr float kSample = 0;
  const BadSound& sound = GetParam();
  EXPECT_THAT(EncodeWav(TensorView(DType::kFloat32, &kSample, sound.shape), sound.sample_rate),
              FailsWith(sound.code));
}

INSTANTIATE_TEST_SUITE_P(
    , MalformedSound,
    ::testing::Values(BadSound{"Scalar", {}}, BadSound{"NoFrames", {0}},
                      BadSound{"NoFramesOfTwo", {0, 2}}, BadSound{"NoChannels", {1, 0}},
                      BadSound{"ThreeChannels", {1, 3}}, BadSound{"ThreeDimensions", {1, 1, 1}},
                      BadSound{"Negative", {-1}}, BadSound{"ZeroRate", {1}, 0},
                      BadSound{"NegativeRate", {1}, -44100},
                      BadSound{"RateThatOverflowsTheHeader", {1}, INT32_MAX},
                      BadSound{"TooLong", {1 << 30}, 8000, ErrorCode::kResourceExhausted}),
    [](const auto& test) { return test.param.name; });

TEST(EncodeWav, NamesTheShape) {
  const std::vector<float> sound(12);
  EXPECT_THAT(EncodeWav(TensorView(sound, {2, 6}), 8000),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "the sound has shape [2, 6], but must have shape [samples]"));
}

}  // namespace
}  // namespace cboard::writer::media
