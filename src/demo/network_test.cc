#include "demo/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "demo/quantized_network.h"
#include "demo/training.h"

namespace cboard::demo {
namespace {

// Creates pictures with a bright column whose position is the label, which is easy to learn.
Digits Columns(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> noise(0, 4);
  Digits digits;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t label = i % kDigitSize;
    for (std::size_t pixel = 0; pixel < kDigitPixels; ++pixel) {
      const int bright = pixel % kDigitSize == label ? 12 : 0;
      digits.pixels.push_back(static_cast<float>(bright + noise(random)) / 16);
    }
    digits.labels.push_back(static_cast<std::uint8_t>(label));
  }
  return digits;
}

TEST(Network, ConvolutionIsTheSumOverItsWindow) {
  Network network = Network::Random(3);
  const Digits digits = Columns(1, 1);
  FloatRunner runner(network);
  runner.Run(digits.image(0));
  const LayerShape& shape = NetworkShape()[1];  // Stride 2, padding 1.
  const std::span<const float> below = runner.output(0);
  for (const std::size_t out : {0UL, 7UL, 15UL}) {
    for (const auto& [y, x] : {std::pair{0, 0}, {1, 2}, {3, 3}}) {
      double sum = network.layers[1].biases[out];
      for (std::size_t in = 0; in < shape.in_channels; ++in) {
        for (int row = 0; row < 3; ++row) {
          for (int column = 0; column < 3; ++column) {
            const int from_y = 2 * y + row - 1;
            const int from_x = 2 * x + column - 1;
            if (from_y < 0 || from_x < 0 || from_y > 7 || from_x > 7) continue;
            const auto place = in * 64 + static_cast<std::size_t>(from_y * 8 + from_x);
            const auto weight = (out * 8 + in) * 9 + static_cast<std::size_t>(row * 3 + column);
            sum += static_cast<double>(network.layers[1].weights[weight]) * below[place];
          }
        }
      }
      const auto position = static_cast<std::size_t>(y * 4 + x);
      EXPECT_NEAR(runner.output(1)[out * 16 + position], std::max(sum, 0.0), 1e-4);
    }
  }
}

TEST(Training, LearnsWhereTheBrightColumnIs) {
  const DigitsSplit digits{Columns(240, 1), Columns(80, 2)};
  Network network = Network::Random(1);
  double last = 0;
  int epochs = 0;
  Train(network, digits, {.epochs = 4}, [&](const Epoch& epoch) {
    last = epoch.test.accuracy;
    ++epochs;
  });
  EXPECT_EQ(epochs, 4);
  EXPECT_GT(last, 0.95);
}

TEST(Quantization, EightBitsChangeScoresLittleAndFourBitsMore) {
  const DigitsSplit digits{Columns(240, 1), Columns(80, 2)};
  Network network = Network::Random(1);
  Train(network, digits, {.epochs = 2}, {});
  const auto ranges = Calibrate(network, digits.train);
  const auto error_with = [&](const QuantizationScheme& scheme) {
    const QuantizedNetwork quantized = Quantize(network, ranges, scheme);
    QuantizedRunner integer(quantized);
    FloatRunner real(network);
    double error = 0, signal = 0;
    for (std::size_t i = 0; i < digits.test.size(); ++i) {
      const std::span<const float> expected = real.Run(digits.test.image(i));
      const std::span<const float> actual = integer.Run(digits.test.image(i));
      for (std::size_t k = 0; k < kDigitClasses; ++k) {
        error += std::pow(expected[k] - actual[k], 2);
        signal += std::pow(expected[k], 2);
      }
    }
    return std::sqrt(error / signal);
  };
  const double eight = error_with({});
  EXPECT_LT(eight, 0.03);
  EXPECT_GT(error_with({.weight_bits = 4}), 2 * eight);
  const QuantizationScheme cut{.reach = {0.05, 1, 1, 1, 1}};
  EXPECT_GT(error_with(cut), 0.3);
  QuantizationScheme mended = cut;
  mended.keep_float = {0};
  EXPECT_LT(error_with(mended), 0.03);
}

TEST(Quantization, StoresWhatTheBitsTake) {
  const Network network = Network::Random(1);
  const std::vector<ActivationRange> ranges(network.layers.size(), {0, 1});
  // conv0 has 8 x 1 x 3 x 3 weights and 8 biases.
  EXPECT_EQ(Quantize(network, ranges, {}).BytesOf(0), 72 + 32 + 32);
  EXPECT_EQ(Quantize(network, ranges, {.per_channel = false}).BytesOf(0), 72 + 32 + 4);
  EXPECT_EQ(Quantize(network, ranges, {.weight_bits = 4}).BytesOf(0), 36 + 32 + 32);
  EXPECT_EQ(Quantize(network, ranges, {.keep_float = {0}}).BytesOf(0), 288 + 32);
}

TEST(Quantization, PruningTakesTheSmallestWeights) {
  const Network network = Network::Random(1);
  const Network pruned = WithPrunedWeights(network, 0.5);
  EXPECT_EQ(pruned.layers[0].weights, network.layers[0].weights);
  for (std::size_t i = 1; i < network.layers.size(); ++i) {
    float largest_gone = 0, smallest_kept = 1e9F;
    std::size_t gone = 0;
    for (std::size_t k = 0; k < pruned.layers[i].weights.size(); ++k) {
      const float size = std::abs(network.layers[i].weights[k]);
      if (pruned.layers[i].weights[k] == 0) {
        largest_gone = std::max(largest_gone, size);
        ++gone;
      } else {
        smallest_kept = std::min(smallest_kept, size);
      }
    }
    EXPECT_EQ(gone, network.layers[i].weights.size() / 2);
    EXPECT_LE(largest_gone, smallest_kept);
  }
}

}  // namespace
}  // namespace cboard::demo
