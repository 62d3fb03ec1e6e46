#include "cboard/tensor/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "cboard/tensor/convert.h"
#include "tensor/testing/compared_values.h"
#include "testing/matchers.h"
#include "testing/special_values.h"

namespace cboard::tensor {
namespace {

using ::cboard::testing::kInfinity;
using testing::CompareOrDie;
using testing::FailsSaying;
using testing::Normal;
using testing::Quantize;

TEST(Compare, InfinitiesOnBothSidesAreNoPairs) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, infinity}, y = x;
  const PairStatistics total = CompareOrDie(x, y).total;
  EXPECT_EQ(total.finite_count(), 8u);
  EXPECT_EQ(total.SqnrDb(), kInfinity);
  EXPECT_EQ(total.max_error, 0);
}

TEST(Compare, SaysWhatAnEngineerAsks) {
  const std::vector<float> x = {1, -1, 1, -1}, half = {0.5f, -0.5f, 0.5f, -0.5f};
  const PairStatistics pairs = CompareOrDie(x, half).total;
  EXPECT_DOUBLE_EQ(pairs.SqnrDb(), 10 * std::log10(4));
  EXPECT_DOUBLE_EQ(pairs.Cosine(), 1);
  EXPECT_DOUBLE_EQ(pairs.Mse(), 0.25);
  EXPECT_DOUBLE_EQ(pairs.Rmse(), 0.5);
  EXPECT_DOUBLE_EQ(pairs.Dot(), 2);
  EXPECT_EQ(pairs.MeanShiftSigmas(), 0);
  EXPECT_EQ(pairs.RmseSteps(), std::nullopt);
  EXPECT_EQ(pairs.ClipRate(), std::nullopt);

  const std::vector<float> shifted = {1.5f, -0.5f, 1.5f, -0.5f};
  EXPECT_DOUBLE_EQ(CompareOrDie(x, shifted).total.MeanShiftSigmas(), 0.5);
  const std::vector<float> zeros(4), ones(4, 1);
  EXPECT_DOUBLE_EQ(CompareOrDie(x, zeros).total.SqnrDb(), 0);
  EXPECT_EQ(CompareOrDie(zeros, x).total.SqnrDb(), -kInfinity);
  EXPECT_EQ(CompareOrDie(x, x).total.SqnrDb(), kInfinity);
  EXPECT_EQ(CompareOrDie(zeros, zeros).total.Cosine(), 1);
  EXPECT_EQ(CompareOrDie(x, zeros).total.Cosine(), 0);
  EXPECT_EQ(CompareOrDie(zeros, ones).total.MeanShiftSigmas(), kInfinity);
}

TEST(Compare, IdealRoundingIsTheTwelfthRootOfAStep) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-12, 12);
  std::vector<float> x(200'000);
  for (float& value : x) value = uniform(random);
  const float scale = 0.1f;
  const auto codes = Quantize<std::int8_t>(x, scale, 0);
  TensorView compressed(codes);
  compressed.quantization = Quantization::PerTensor({&scale, 1});
  const PairStatistics pairs = CompareOrDie(x, compressed).total;
  EXPECT_NEAR(*pairs.RmseSteps(), 1 / std::sqrt(12.0), 1e-3);
  EXPECT_EQ(pairs.ClipRate(), 0);
  EXPECT_EQ(pairs.steps->used_codes, static_cast<int>(std::set(codes.begin(), codes.end()).size()));
}

TEST(Compare, CountsWhatTheLastCodesCannotHold) {
  // The codes represent -12.8 to 12.7; values up to half a step beyond are not clipped.
  const std::vector<float> x = {12.7f, 12.74f, 12.76f, 100, -12.84f, -12.86f, 0, 0};
  const float scale = 0.1f;
  const auto codes = Quantize<std::int8_t>(x, scale, 0);
  TensorView compressed(codes);
  compressed.quantization = Quantization::PerTensor({&scale, 1});
  EXPECT_EQ(CompareOrDie(x, compressed).total.steps->clipped_count, 3u);

  // With 4 bits, the codes represent -0.8 to 0.7. Dequantized values with a grid give the same
  // result.
  const ComparisonOptions four_bits{.code_range = ComparisonOptions::CodeRange{-8, 7}};
  EXPECT_EQ(CompareOrDie(x, compressed, four_bits).total.steps->clipped_count, 6u);
  const auto reals = ToFloats(compressed);
  const PairStatistics on_grid =
      CompareOrDie(x, *reals, {.grid = QuantizationGrid{0.1, 0, -128, 127}}).total;
  EXPECT_EQ(on_grid.steps->clipped_count, 3u);
  EXPECT_NEAR(*on_grid.RmseSteps(), *CompareOrDie(x, compressed).total.RmseSteps(), 1e-5);
}

TEST(Compare, PackedCodesClipAtTheirOwnEnds) {
  const std::vector<float> x = {0.7f, 0.8f, -0.8f, -0.9f};
  const std::vector<std::uint8_t> packed = {0x77, 0x88};  // 7, 7, -8, -8.
  const float scale = 0.1f;
  TensorView compressed(DType::kInt4, packed.data(), {4});
  compressed.quantization = Quantization::PerTensor({&scale, 1});
  EXPECT_EQ(CompareOrDie(x, compressed).total.steps->clipped_count, 2u);
}

TEST(Compare, UsedCodesAreThoseOfAllChannels) {
  std::mt19937 random(8);
  for (const std::size_t inner : {5u, 200u, 5000u}) {
    std::vector<std::uint8_t> codes(3 * inner);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = static_cast<std::uint8_t>(random() % (i / inner == 0 ? 256 : 7));
    }
    const std::vector<float> x(codes.size(), 1);
    const float scale = 1;
    TensorView compressed(codes, {3, static_cast<std::int64_t>(inner)});
    compressed.quantization = Quantization::PerTensor({&scale, 1});
    const Comparison comparison =
        CompareOrDie(TensorView(x, compressed.shape), compressed, {.channel_axis = 0});
    EXPECT_FALSE(comparison.channels[0].steps->used_codes);
    EXPECT_EQ(comparison.total.steps->used_codes,
              static_cast<int>(std::set(codes.begin(), codes.end()).size()));
  }
}

TEST(Compare, AChannelThatIsNothingBesideOthersIsNotTheWorst) {
  std::vector<float> x = Normal(3 * 500, 1, 6), y = x;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i / 500 == 0) x[i] *= 1e-9f, y[i] = 0;
    if (i / 500 == 1) y[i] += 0.1f;
  }
  const auto worst = [&] {
    return CompareOrDie(TensorView(x, {3, 500}), TensorView(y, {3, 500}), {.channel_axis = 0})
        .worst_channel;
  };
  EXPECT_EQ(worst(), 1u);
  for (std::size_t i = 0; i < 500; ++i) x[i] *= 100;  // 1e-7, which float32 can tell.
  EXPECT_EQ(worst(), 0u);
}

TEST(Compare, TheWorstChannelHasTheLowestRatio) {
  std::vector<float> x = Normal(4 * 500, 1, 6), y = x;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i / 500 == 0) x[i] = 0, y[i] = 0.01f;   // Never had a signal.
    if (i / 500 == 1) x[i] *= 1e-3f, y[i] = 0;  // Lost all of it.
    if (i / 500 == 2) y[i] += 0.1f;
  }
  const Comparison comparison =
      CompareOrDie(TensorView(x, {4, 500}), TensorView(y, {4, 500}), {.channel_axis = 0});
  EXPECT_EQ(comparison.worst_channel, 1u);
  EXPECT_GT(comparison.total.SqnrDb(), 20);  // The total does not see it.
}

TEST(Compare, DivergenceIsZeroForRoundingAndSeesClipping) {
  const std::vector<float> x = Normal(100'000, 1, 11);
  const auto divergence = [&](float scale) {
    const auto codes = Quantize<std::int8_t>(x, scale, 0);
    TensorView compressed(codes);
    compressed.quantization = Quantization::PerTensor({&scale, 1});
    return *CompareOrDie(x, compressed, {.divergence = true}).divergence;
  };
  EXPECT_LT(divergence(0.05f), 1e-5);
  // Counts baseline values on the grid of other codes than those that they became.
  const auto codes = Quantize<std::int8_t>(x, 0.05f, 0);
  const float other = 0.04f;
  TensorView wrong(codes);
  wrong.quantization = Quantization::PerTensor({&other, 1});
  EXPECT_GT(*CompareOrDie(x, wrong, {.divergence = true}).divergence, 0.01);

  const auto reals = ToFloats(wrong);
  const QuantizationGrid grid{0.04f, 0, -128, 127};
  EXPECT_DOUBLE_EQ(*CompareOrDie(x, *reals, {.grid = grid, .divergence = true}).divergence,
                   *CompareOrDie(x, wrong, {.divergence = true}).divergence);
  EXPECT_EQ(CompareOrDie(x, wrong).divergence, std::nullopt);
}

TEST(Compare, AnyCutIntoChunksAndAnyMergeGiveTheSame) {
  const std::vector<float> x = Normal(12 * 8 * 50, 1, 12);
  const auto codes = Quantize<std::uint8_t>(x, 0.03f, 128);
  const float scale = 0.03f;
  const std::int32_t zero_point = 128;
  const auto view = [&](std::size_t first, std::size_t samples) {
    const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(samples), 8, 50};
    TensorView compressed(DType::kUint8, codes.data() + first * 400, shape);
    compressed.quantization = Quantization::PerTensor({&scale, 1}, {&zero_point, 1});
    return std::pair(TensorView(DType::kFloat32, x.data() + first * 400, shape), compressed);
  };
  const ComparisonOptions options{.channel_axis = 1, .divergence = true};
  const auto [all_x, all_y] = view(0, 12);
  const Comparison whole = CompareOrDie(all_x, all_y, options);
  ComparisonBuilder even(options), odd(options);
  for (std::size_t first = 0; first < 12; first += 3) {
    const auto [part_x, part_y] = view(first, 3);
    ASSERT_THAT((first % 2 == 0 ? even : odd).Add(part_x, part_y), testing::Succeeds());
  }
  ASSERT_THAT(even.Merge(odd), testing::Succeeds());
  const Comparison merged = even.Build();
  ASSERT_EQ(merged.channels.size(), 8u);
  EXPECT_EQ(merged.total.count, whole.total.count);
  EXPECT_DOUBLE_EQ(merged.total.sum_squared_error, whole.total.sum_squared_error);
  EXPECT_DOUBLE_EQ(merged.total.compressed.sum, whole.total.compressed.sum);
  EXPECT_EQ(merged.total.reference.min, whole.total.reference.min);
  EXPECT_EQ(merged.total.steps->used_codes, whole.total.steps->used_codes);
  EXPECT_DOUBLE_EQ(*merged.divergence, *whole.divergence);
  EXPECT_EQ(merged.worst_channel, whole.worst_channel);
}

TEST(Compare, ChannelsMayComeAFewAtATime) {
  const std::vector<float> x = Normal(5 * 70, 1, 14);
  const auto y = Normal(5 * 70, 1, 15);
  const ComparisonOptions options{.channel_axis = 0};
  const Comparison whole = CompareOrDie(TensorView(x, {5, 70}), TensorView(y, {5, 70}), options);
  ComparisonBuilder builder(options);
  for (const auto& [first, count] : {std::pair(3u, 2), std::pair(0u, 3)}) {
    const TensorView part_x(DType::kFloat32, x.data() + first * 70, {count, 70});
    const TensorView part_y(DType::kFloat32, y.data() + first * 70, {count, 70});
    ASSERT_THAT(builder.AddChannels(part_x, part_y, first, 5), testing::Succeeds());
  }
  const Comparison parts = builder.Build();
  ASSERT_EQ(parts.channels.size(), 5u);
  for (std::size_t c = 0; c < 5; ++c) {
    EXPECT_EQ(parts.channels[c].sum_squared_error, whole.channels[c].sum_squared_error);
    EXPECT_EQ(parts.channels[c].count, 70u);
  }
  EXPECT_EQ(parts.total.sum_squared_error, whole.total.sum_squared_error);
  EXPECT_EQ(parts.worst_channel, whole.worst_channel);
}

TEST(Compare, ScalesThatAreZeroOrInfiniteStillCompare) {
  const std::vector<float> x = Normal(3 * 100, 1, 13);
  const std::vector<std::int8_t> codes(300, 5);
  const std::vector<float> scales = {0, std::numeric_limits<float>::infinity(), 0.1f};
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{3, 100}, std::vector<std::int64_t>{100, 3}}) {
    TensorView compressed(codes, shape);
    const std::size_t axis = shape[0] == 3 ? 0 : 1;
    compressed.quantization = Quantization::PerChannel(scales, {}, axis);
    const Comparison comparison =
        CompareOrDie(TensorView(x, shape), compressed, {.channel_axis = axis});
    EXPECT_EQ(comparison.channels[0].SqnrDb(), 0);
    EXPECT_EQ(comparison.channels[1].finite_count(), 0u);
    EXPECT_EQ(comparison.channels[2].finite_count(), 100u);
    EXPECT_EQ(comparison.total.compressed.positive_infinity_count, 100u);
  }
}

TEST(Compare, MistakesAreNamed) {
  const std::vector<float> six(6);
  const TensorView flat(six), matrix(six, {2, 3});
  EXPECT_THAT(
      Compare(flat, matrix),
      FailsSaying(ErrorCode::kInvalidArgument, "[6], but the compressed tensor has shape [2, 3]"));
  EXPECT_THAT(Compare(matrix, matrix, {.channel_axis = 2}),
              FailsSaying(ErrorCode::kInvalidArgument, "channel axis 2"));
  EXPECT_THAT(Compare(flat, flat, {.divergence = true}),
              FailsSaying(ErrorCode::kInvalidArgument, "needs a quantization grid"));
  EXPECT_THAT(Compare(flat, flat, {.grid = QuantizationGrid{0, 0, -128, 127}}),
              FailsSaying(ErrorCode::kInvalidArgument, "scale"));
  EXPECT_THAT(Compare(flat, flat, {.grid = QuantizationGrid{1, 0, 9, 8}}),
              FailsSaying(ErrorCode::kInvalidArgument, "from 9 to 8"));
  ComparisonBuilder builder({.channel_axis = 1});
  ASSERT_THAT(builder.Add(matrix, matrix), testing::Succeeds());
  const TensorView other(six, {3, 2});
  EXPECT_THAT(builder.Add(other, other),
              FailsSaying(ErrorCode::kInvalidArgument, "has 2 channels along axis 1"));
  EXPECT_THAT(builder.AddChannels(matrix, matrix, 1, 3),
              FailsSaying(ErrorCode::kInvalidArgument, "3 channels from channel 1 are too many"));
  EXPECT_EQ(builder.Build().total.count, 6u);
  EXPECT_THAT(ComparisonBuilder().AddChannels(matrix, matrix, 0, 3),
              FailsSaying(ErrorCode::kInvalidArgument, "without a channel axis"));
}

TEST(Compare, NothingComparedIsNotPerfect) {
  const Comparison empty = ComparisonBuilder({.channel_axis = 0}).Build();
  EXPECT_EQ(empty.total.count, 0u);
  EXPECT_TRUE(std::isnan(empty.total.SqnrDb()));
  EXPECT_EQ(empty.worst_channel, std::nullopt);
}

}  // namespace
}  // namespace cboard::tensor
