// Tests the demo's prediction statistics against the predictions they were computed from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "demo/feature_cloud.h"
#include "demo/loss_surface.h"
#include "demo/mesh_colours.h"

namespace cboard::demo {
namespace {

// Digits of noise: a network cannot learn them, but gives some prediction.
Digits Noise(std::size_t count) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> pixel(0, 16);
  Digits digits;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kDigitPixels; ++k) {
      digits.pixels.push_back(static_cast<float>(pixel(random)) / 16);
    }
    digits.labels.push_back(static_cast<std::uint8_t>(i % kDigitClasses));
  }
  return digits;
}

TEST(Reading, IsWhatTheNetworkSaysAndSeesOfEachPicture) {
  const Digits digits = Noise(12);
  const Network network = Network::Random(3);
  const Reading reading = Read(network, digits);
  ASSERT_EQ(reading.size(), digits.size());
  ASSERT_EQ(reading.features.size(), digits.size() * kFeatures);
  FloatRunner runner(network);
  const auto scores = runner.Run(digits.image(7));
  EXPECT_EQ(reading.probabilities[7], Probabilities(scores));
  const std::span<const float> seen = runner.output(kFeatureLayer);
  EXPECT_TRUE(
      std::ranges::equal(seen, std::span(reading.features).subspan(7 * kFeatures, kFeatures)));
}

TEST(LossSurface, HasTheNetworkItselfInTheMiddle) {
  const Digits digits = Noise(20);
  const Network network = Network::Random(3);
  const std::vector<ActivationRange> ranges = Calibrate(network, digits);
  FloatRunner runner(network);
  const double own =
      Evaluate(digits, [&](std::span<const float> image) { return runner.Run(image); }).loss;
  const LossSurface surface = SurfaceAround(network, ranges, std::nullopt, digits, 3);
  ASSERT_EQ(surface.losses.size(), 9U);
  EXPECT_DOUBLE_EQ(surface.losses[4], own);
  EXPECT_NE(surface.losses[0], own);

  const QuantizedNetwork quantized = Quantize(network, ranges, {});
  QuantizedRunner integers(quantized);
  EXPECT_DOUBLE_EQ(
      SurfaceAround(network, ranges, QuantizationScheme{}, digits, 3).losses[4],
      Evaluate(digits, [&](std::span<const float> image) { return integers.Run(image); }).loss);
}

TEST(PrincipalDirections, AreThoseInWhichRowsDifferMost) {
  // Points vary by 10 along (3, 4, 0, 0) / 5, by 2 along the third axis, and by 0.1 along the
  // fourth.
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> rows;
  for (int i = 0; i < 500; ++i) {
    const float far = 10 * normal(random);
    rows.insert(rows.end(),
                {0.6F * far + 7, 0.8F * far, 2 * normal(random), 0.1F * normal(random)});
  }
  const auto directions = PrincipalDirections(rows, 4);
  ASSERT_EQ(directions.size(), 3U);
  EXPECT_NEAR(std::abs(0.6 * directions[0][0] + 0.8 * directions[0][1]), 1, 1e-3);
  EXPECT_NEAR(std::abs(directions[1][2]), 1, 1e-3);
  EXPECT_NEAR(std::abs(directions[2][3]), 1, 1e-2);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(std::inner_product(directions[i].begin(), directions[i].end(),
                                     directions[j].begin(), 0.0),
                  i == j ? 1 : 0, 1e-9);
    }
  }
}

TEST(PrincipalDirections, AreNoneWhereNothingDiffers) {
  EXPECT_TRUE(PrincipalDirections(std::vector<float>(32, 4.0F), 4).empty());
}

TEST(MeshColours, RunFromVioletToYellow) {
  EXPECT_EQ(HeatColour(-1), (MeshColour{68, 1, 84}));
  EXPECT_EQ(HeatColour(2), (MeshColour{253, 231, 37}));
  EXPECT_EQ(HeatColour(0.5), (MeshColour{38, 144, 137}));
}

}  // namespace
}  // namespace cboard::demo
