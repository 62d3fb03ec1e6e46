#include "quantize/rounding/block_weights.h"

#include <gmock/gmock.h>

#include <cmath>

#include "quantize/rounding/gram.h"
#include "quantize/testing/test_models.h"

namespace cboard::quantize {
namespace {

constexpr std::size_t kInputs = 48, kOutputs = 10;

// Returns the squared error of the product: the sum over outputs of d^T H d.
double ProductError(const std::vector<float>& weights, const std::vector<double>& gram,
                    const BlockWeights& blocks) {
  double error = 0;
  for (std::size_t n = 0; n < kOutputs; ++n) {
    std::vector<double> d(blocks.inputs);
    for (std::size_t k = 0; k < blocks.inputs; ++k) {
      d[k] = blocks.Dequantized(n, k) - weights[k * kOutputs + n];
    }
    for (std::size_t i = 0; i < blocks.inputs; ++i) {
      for (std::size_t j = 0; j < blocks.inputs; ++j)
        error += d[i] * gram[i * blocks.inputs + j] * d[j];
    }
  }
  return error;
}

TEST(QuantizeInBlocks, IsWithinHalfAStepOfEveryWeight) {
  const std::vector<float> weights = NormalValues(kInputs * kOutputs, 1, 1.0f);
  const BlockWeights blocks = QuantizeInBlocks(weights, kInputs, kOutputs, 8, 32);
  EXPECT_EQ(blocks.blocks(), 2u);
  for (std::size_t n = 0; n < kOutputs; ++n) {
    for (std::size_t k = 0; k < kInputs; ++k) {
      EXPECT_NEAR(blocks.Dequantized(n, k), weights[k * kOutputs + n],
                  blocks.scales[n * 2 + k / 32] * 0.51);
    }
  }
}

TEST(BlockWeights, PacksTwoCodesToAByte) {
  BlockWeights blocks{.inputs = 16, .outputs = 1, .bits = 4, .block_size = 16};
  blocks.codes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0};
  blocks.zero_points = {8};
  EXPECT_EQ(blocks.PackedCodes(), "\x21\x43\x65\x87\xa9\xcb\xed\x0f");
  EXPECT_EQ(blocks.PackedZeroPoints(), "\x08");
}

TEST(RoundByGptq, LowersTheErrorOfTheProductForCorrelatedInputs) {
  const std::vector<float> weights = NormalValues(kInputs * kOutputs, 2, 1.0f);
  // Creates inputs that share a common part.
  std::vector<float> rows = NormalValues(400 * kInputs, 3, 1.0f);
  const std::vector<float> common = NormalValues(400, 4, 3.0f);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += common[i / kInputs];
  std::vector<double> gram;
  AddGram(rows, kInputs, gram);
  const BlockWeights nearest = QuantizeInBlocks(weights, kInputs, kOutputs, 4, 16);
  BlockWeights rounded = nearest;
  ASSERT_TRUE(RoundByGptq(weights, gram, rounded));
  EXPECT_LT(ProductError(weights, gram, rounded), 0.6 * ProductError(weights, gram, nearest));
}

// The number of inputs exceeds a tile of the factorization and is not a multiple of it.
TEST(RoundByGptq, LowersTheErrorOfAWideProduct) {
  constexpr std::size_t kWide = 200, kRows = 1000;
  const std::vector<float> weights = NormalValues(kWide * kOutputs, 2, 1.0f);
  std::vector<float> rows = NormalValues(kRows * kWide, 3, 1.0f);
  const std::vector<float> common = NormalValues(kRows, 4, 3.0f);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += common[i / kWide];
  std::vector<double> gram, expected(kWide * kWide);
  AddGram(rows, kWide, gram);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kWide * kWide; ++i) {
      expected[i] +=
          static_cast<double>(rows[row * kWide + i / kWide]) * rows[row * kWide + i % kWide];
    }
  }
  for (std::size_t i = 0; i < gram.size(); ++i) ASSERT_NEAR(gram[i], expected[i], 0.1) << i;
  const BlockWeights nearest = QuantizeInBlocks(weights, kWide, kOutputs, 4, 16);
  BlockWeights rounded = nearest;
  ASSERT_TRUE(RoundByGptq(weights, gram, rounded));
  EXPECT_LT(ProductError(weights, gram, rounded), 0.6 * ProductError(weights, gram, nearest));
}

TEST(RoundByGptq, RefusesInputsThatAreAlwaysZero) {
  const std::vector<float> weights = NormalValues(kInputs * kOutputs, 2, 1.0f);
  BlockWeights blocks = QuantizeInBlocks(weights, kInputs, kOutputs, 4, 16);
  const std::vector<std::uint8_t> before = blocks.codes;
  EXPECT_FALSE(RoundByGptq(weights, std::vector<double>(kInputs * kInputs), blocks));
  EXPECT_EQ(blocks.codes, before);
}

}  // namespace
}  // namespace cboard::quantize
