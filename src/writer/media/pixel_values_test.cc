#include "writer/media/pixel_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/matchers.h"

namespace cboard::writer::media {
namespace {

using cboard::testing::FailsWith;
using ::testing::ElementsAre;
using Levels = std::vector<int>;

Levels Of(const Result<PixelValues>& values) {
  EXPECT_THAT(values, cboard::testing::Succeeds());
  return Levels(values->data(), values->data() + values->size());
}

TEST(ToPixelValues, BorrowsBytes) {
  const std::vector<std::uint8_t> bytes = {0, 1, 255};
  const Result<PixelValues> values = ToPixelValues(bytes);
  EXPECT_EQ(values->data(), bytes.data());
  EXPECT_EQ(values->size(), 3u);
}

TEST(ToPixelValues, ScalesFloatsAndDropsTheFraction) {
  EXPECT_THAT(Of(ToPixelValues({0.f, 0.5f, 0.999f, 1.f})), ElementsAre(0, 127, 254, 255));
  EXPECT_THAT(Of(ToPixelValues({0.0, 0.5, 0.999, 1.0})), ElementsAre(0, 127, 254, 255));
}

TEST(ToPixelValues, ReadsBackEveryByteThatWasDividedBy255) {
  std::vector<float> fractions(256);
  for (int i = 0; i < 256; ++i)
    fractions[static_cast<std::size_t>(i)] = static_cast<float>(i) / 255;
  const Result<PixelValues> values = ToPixelValues(fractions);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(values->data()[i], i);
}

TEST(ToPixelValues, WrapsAroundAsNumpyDoes) {
  EXPECT_THAT(Of(ToPixelValues({1.01f, 1.5f, -0.1f, -1.f})), ElementsAre(1, 126, 231, 1));
}

TEST(ToPixelValues, TurnsWhatNoIntegerHoldsIntoZero) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(Of(ToPixelValues({std::nanf(""), kInfinity, -kInfinity, 1e30f, -1e30f})),
              ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(Of(ToPixelValues({std::nan(""), 1e300, -1e300})), ElementsAre(0, 0, 0));
}

TEST(ToPixelValues, MultipliesEveryOtherTypeToo) {
  EXPECT_THAT(Of(ToPixelValues({std::int32_t{0}, 1, 2, -1})), ElementsAre(0, 255, 254, 1));
  EXPECT_THAT(Of(ToPixelValues({std::int64_t{0}, std::int64_t{1}, INT64_MAX})),
              ElementsAre(0, 255, 0));
  const bool truths[] = {false, true};
  EXPECT_THAT(Of(ToPixelValues(TensorView(DType::kBool, truths, {2}))), ElementsAre(0, 255));
}

TEST(ToPixelValues, RoundsTheProductOfHalvesToAHalf) {
  // 1, 0.99951171875 (254.87… is 254.875 as a half), 0.998046875 (254.50…), infinity, 512 (130560
  // is no half).
  const std::vector<std::uint16_t> halves = {0x3c00, 0x3bff, 0x3bfc, 0x7c00, 0x6000};
  EXPECT_THAT(Of(ToPixelValues(TensorView(DType::kFloat16, halves.data(), {5}))),
              ElementsAre(255, 254, 254, 0, 0));
  // 0.50146484375 * 255 = 127.87…: 127.875 as a half; 0.50098 * 255 = 127.75.
  const std::vector<std::uint16_t> middle = {0x3803, 0x3802};
  EXPECT_THAT(Of(ToPixelValues(TensorView(DType::kFloat16, middle.data(), {2}))),
              ElementsAre(127, 127));
}

TEST(ToPixelValues, ReadsBfloats) {
  const std::vector<std::uint16_t> bfloats = {0x3f80, 0x3f00};  // 1, 0.5.
  EXPECT_THAT(Of(ToPixelValues(TensorView(DType::kBfloat16, bfloats.data(), {2}))),
              ElementsAre(255, 127));
}

TEST(ToPixelValues, ShowsTheRealValuesOfQuantizedTensors) {
  const std::vector<std::uint8_t> codes = {10, 110, 210};
  const float scale[] = {0.005f};
  const std::int32_t zero_point[] = {10};
  TensorView view(codes);
  view.quantization = Quantization::PerTensor(scale, zero_point);
  EXPECT_THAT(Of(ToPixelValues(view)), ElementsAre(0, 127, 255));
}

TEST(ToPixelValues, RefusesInvalidTensors) {
  EXPECT_THAT(ToPixelValues(TensorView(DType::kFloat32, nullptr, {3})),
              FailsWith(ErrorCode::kInvalidArgument));
}

TEST(ToClampedPixelValues, StopsAtBlackAndWhite) {
  EXPECT_THAT(Of(ToClampedPixelValues({-1.f, 0.5f, 1.01f, 1e30f, std::nanf("")})),
              ElementsAre(0, 127, 255, 255, 0));
  const std::vector<std::uint16_t> halves = {0x7c00, 0xfc00, 0x6000};  // ±infinity, 512.
  EXPECT_THAT(Of(ToClampedPixelValues(TensorView(DType::kFloat16, halves.data(), {3}))),
              ElementsAre(255, 0, 255));
}

}  // namespace
}  // namespace cboard::writer::media
