#include "tensor/kernels/rounding_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "testing/every_instruction_set.h"
#include "testing/special_values.h"

namespace cboard::tensor {
namespace {

using testing::kInfinity;
using testing::OnEveryInstructionSet;

template <typename Code>
struct Block {
  std::array<float, kPairBlock> values{};
  std::array<Code, kPairBlock> codes{};
  double scale = 0.5;
  std::int32_t zero_point = 0;

  // Rounds values to the nearest code.
  void Round() {
    for (std::size_t i = 0; i < kPairBlock; ++i) {
      const double code = std::nearbyint(static_cast<double>(values[i]) / scale) + zero_point;
      codes[i] = static_cast<Code>(std::clamp<double>(code, std::numeric_limits<Code>::min(),
                                                      std::numeric_limits<Code>::max()));
    }
  }
  RoundedBlock Compare() const {
    return RoundingOf(std::span(values), std::span(codes), scale, zero_point);
  }
};

// False for older instruction sets, which round products, so that no error is exact.
bool HasFusedProducts() {
  const auto all = hwy::SupportedTargets();
  const auto best = all & -all;
  return (best & (HWY_SCALAR | HWY_EMU128 | HWY_SSSE3 | HWY_SSE4)) == 0;
}

// Result of a loop in long double for the same pairs.
template <typename Code>
void ExpectAgreesWithTheLoop(const Block<Code>& block, double tolerance_of_squares) {
  const RoundedBlock found = block.Compare();
  ASSERT_EQ(found.is_close, HasFusedProducts());
  if (!found.is_close) return;
  long double sum = 0, sum_squares = 0, magnitudes = 0, error_squares = 0;
  double max_error = 0;
  std::int64_t code_sum = 0, code_squares = 0;
  for (std::size_t i = 0; i < kPairBlock; ++i) {
    const long double x = block.values[i];
    const long double error = x - static_cast<long double>(block.codes[i] - block.zero_point) *
                                      static_cast<long double>(block.scale);
    sum += x, sum_squares += x * x, magnitudes += std::abs(x), error_squares += error * error;
    max_error = std::max(max_error, static_cast<double>(std::abs(error)));
    code_sum += block.codes[i], code_squares += block.codes[i] * block.codes[i];
  }
  const auto near = [](double ours, long double theirs, long double tolerance) {
    EXPECT_NEAR(ours, static_cast<double>(theirs), static_cast<double>(tolerance));
  };
  near(found.errors.sum_squares, error_squares, error_squares * 1e-13L);
  EXPECT_EQ(found.errors.max, max_error);
  near(found.errors.reference.sum, sum, magnitudes * 1e-13L);
  near(found.errors.reference.sum_squares, sum_squares, sum_squares * tolerance_of_squares);
  EXPECT_EQ(found.errors.reference.min, double{*std::ranges::min_element(block.values)});
  EXPECT_EQ(found.errors.reference.max, double{*std::ranges::max_element(block.values)});
  EXPECT_EQ(found.codes.count, static_cast<std::int64_t>(kPairBlock));
  EXPECT_EQ(found.codes.sum, code_sum);
  EXPECT_EQ(found.codes.sum_squares, code_squares);
  EXPECT_EQ(found.codes.min, *std::ranges::min_element(block.codes));
  EXPECT_EQ(found.codes.max, *std::ranges::max_element(block.codes));
}

template <typename Code>
void CompareRoundedValues(std::int32_t zero_point) {
  std::mt19937 random(5);
  for (const double scale : {0.002, 0.0371, 1.0, 7e-8, -0.01, 3e6}) {
    SCOPED_TRACE(scale);
    Block<Code> block;
    block.scale = static_cast<double>(static_cast<float>(scale));
    block.zero_point = zero_point;
    std::uniform_real_distribution<double> codes(std::numeric_limits<Code>::min() - 0.499,
                                                 std::numeric_limits<Code>::max() + 0.499);
    for (float& value : block.values) {
      value = static_cast<float>((codes(random) - zero_point) * block.scale);
    }
    block.Round();
    ExpectAgreesWithTheLoop(block, 1e-10);
  }
}

TEST(Rounding, AllIsExactButTheSquaresOfReferencesWhichAreNearlySo) {
  OnEveryInstructionSet([] {
    CompareRoundedValues<std::int8_t>(0);
    CompareRoundedValues<std::int8_t>(-128);
    CompareRoundedValues<std::uint8_t>(0);
    CompareRoundedValues<std::uint8_t>(127);
    CompareRoundedValues<std::uint8_t>(255);
  });
}

// The error of float32 sums is largest if every addition rounds in the same direction.
TEST(Rounding, ErrorsThatAreAllAlikeMoveNoCosine) {
  OnEveryInstructionSet([] {
    Block<std::int8_t> block;
    for (const float value : {11.3f, 63.71f, 16.499f, -50.2999f}) {
      SCOPED_TRACE(value);
      block.scale = 1;
      block.values.fill(value);
      block.Round();
      ExpectAgreesWithTheLoop(block, 3e-8);
      const RoundedBlock found = block.Compare();
      if (!found.is_close) continue;
      const double x = std::sqrt(found.errors.reference.sum_squares);
      const double y = std::sqrt(static_cast<double>(found.codes.sum_squares));
      EXPECT_NEAR((found.errors.sum_squares - (x - y) * (x - y)) / (2 * x * y), 0, 1e-9);
    }
  });
}

TEST(Rounding, ZerosAreClose) {
  Block<std::uint8_t> block;
  block.zero_point = 3;
  block.codes.fill(3);
  ExpectAgreesWithTheLoop(block, 0);
}

TEST(Rounding, AFewClippedValuesAreClose) {
  Block<std::int8_t> block;
  std::mt19937 random(6);
  std::normal_distribution<float> normal(0, 14);
  for (float& value : block.values) value = normal(random);
  block.values[77] = 70.26f;
  block.Round();
  const RoundedBlock found = block.Compare();
  ASSERT_EQ(found.is_close, HasFusedProducts());
  if (found.is_close) {
    EXPECT_EQ(found.errors.max, 70.26f - 63.5f);
  }
}

TEST(Rounding, WhatIsMoreThanRoundingIsLeftToOthers) {
  Block<std::int8_t> good;
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 20);
  for (float& value : good.values) value = normal(random);
  good.Round();
  ASSERT_EQ(good.Compare().is_close, HasFusedProducts());

  const auto is_close = [&](const std::function<void(Block<std::int8_t>&)>& change) {
    Block<std::int8_t> block = good;
    change(block);
    return block.Compare().is_close;
  };
  EXPECT_FALSE(is_close([](auto& block) { block.scale = 0.55; }));
  EXPECT_FALSE(is_close([](auto& block) { block.zero_point = 7; }));
  EXPECT_FALSE(is_close([](auto& block) { std::ranges::reverse(block.codes); }));
  EXPECT_FALSE(is_close([](auto& block) { block.codes.fill(0); }));
  for (const float value : {std::nanf(""), static_cast<float>(kInfinity), 1e30f}) {
    EXPECT_FALSE(is_close([&](auto& block) { block.values[4000] = value; })) << value;
  }
  // Scales that float32 cannot represent, or whose errors have squares that float32 cannot
  // represent.
  EXPECT_FALSE(is_close([](auto& block) { block.scale = 0.5 + 1e-12; }));
  for (const float factor : {0x1p-40f, 0x1p40f}) {
    EXPECT_FALSE(is_close([&](auto& block) {
      block.scale *= static_cast<double>(factor);
      for (float& value : block.values) value *= factor;
    })) << factor;
  }
  EXPECT_FALSE(is_close([](auto& block) { block.zero_point = 1 << 20; }));
}

}  // namespace
}  // namespace cboard::tensor
