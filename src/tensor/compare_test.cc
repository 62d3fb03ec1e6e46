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
#include "testing/matchers.h"
#include "testing/special_values.h"

namespace cboard {
namespace {

using ::cboard::testing::kInfinity;
using testing::FailsSaying;

// What a loop in long double gives for the same pairs.
struct ExpectedSums {
  std::uint64_t count = 0;
  long double x_sum = 0, x_squares = 0, y_sum = 0, y_squares = 0, dot = 0, error_squares = 0;
  double x_min = kInfinity, x_max = -kInfinity, y_min = kInfinity, y_max = -kInfinity;
  double max_error = 0;

  void Add(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    ++count;
    const long double lx = x, ly = y;
    x_sum += lx;
    x_squares += lx * lx;
    y_sum += ly;
    y_squares += ly * ly;
    dot += lx * ly;
    error_squares += (lx - ly) * (lx - ly);
    x_min = std::min(x_min, x);
    x_max = std::max(x_max, x);
    y_min = std::min(y_min, y);
    y_max = std::max(y_max, y);
    max_error = std::max(max_error, static_cast<double>(std::abs(lx - ly)));
  }
  double Cosine() const { return static_cast<double>(dot / std::sqrt(x_squares * y_squares)); }
};

void ExpectSame(const PairStatistics& pairs, const ExpectedSums& expected,
                double tolerance = 1e-12) {
  const auto near = [&](double ours, long double theirs, long double magnitude) {
    EXPECT_NEAR(ours, static_cast<double>(theirs), static_cast<double>(magnitude) * tolerance);
  };
  ASSERT_EQ(pairs.finite_count(), expected.count);
  if (expected.count == 0) return;
  // The dot product comes from squares, which are as exact as the larger ones of them.
  const long double larger = std::max(expected.x_squares, expected.y_squares);
  const long double both = std::sqrt(expected.x_squares * expected.y_squares);
  const long double x = std::sqrt(expected.x_squares * static_cast<long double>(expected.count));
  const long double y = std::sqrt(expected.y_squares * static_cast<long double>(expected.count));
  near(pairs.reference.sum, expected.x_sum, x);
  near(pairs.compressed.sum, expected.y_sum, y);
  near(pairs.reference.sum_squares, expected.x_squares, expected.x_squares);
  near(pairs.compressed.sum_squares, expected.y_squares, expected.y_squares);
  near(pairs.sum_squared_error, expected.error_squares, expected.error_squares);
  near(pairs.Dot(), expected.dot, larger);
  EXPECT_EQ(pairs.reference.min, expected.x_min);
  EXPECT_EQ(pairs.reference.max, expected.x_max);
  EXPECT_DOUBLE_EQ(pairs.compressed.min, expected.y_min);
  EXPECT_DOUBLE_EQ(pairs.compressed.max, expected.y_max);
  near(pairs.max_error, expected.max_error, expected.max_error);
  if (expected.x_squares > 0 && expected.y_squares > 0) {
    near(pairs.Cosine(), expected.Cosine(), larger / both);
  }
}

std::vector<float> Normal(std::size_t count, float sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, sigma);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

template <typename Code>
std::vector<Code> Quantize(const std::vector<float>& values, float scale, int zero_point) {
  std::vector<Code> codes;
  for (const float value : values) {
    const float code = std::nearbyint(value / scale) + static_cast<float>(zero_point);
    codes.push_back(
        static_cast<Code>(std::clamp(code, static_cast<float>(std::numeric_limits<Code>::min()),
                                     static_cast<float>(std::numeric_limits<Code>::max()))));
  }
  return codes;
}

Comparison CompareOrDie(const TensorView& reference, const TensorView& compressed,
                        const ComparisonOptions& options = {}) {
  auto comparison = Compare(reference, compressed, options);
  EXPECT_THAT(comparison, testing::Succeeds());
  return comparison ? *std::move(comparison) : Comparison();
}

// The total and every channel against the loop, for tensors of any kind.
void ExpectAgreesWithTheLoop(const TensorView& reference, const TensorView& compressed,
                             const ComparisonOptions& options) {
  const Comparison comparison = CompareOrDie(reference, compressed, options);
  const auto x = ToDoubles(reference), y = ToDoubles(compressed);
  ASSERT_TRUE(x && y);
  ExpectedSums total;
  for (std::size_t i = 0; i < x->size(); ++i) total.Add((*x)[i], (*y)[i]);
  ExpectSame(comparison.total, total);
  if (!options.channel_axis) return;
  const std::size_t axis = *options.channel_axis;
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < reference.shape.size(); ++i) {
    inner *= static_cast<std::size_t>(reference.shape[i]);
  }
  std::vector<ExpectedSums> channels(static_cast<std::size_t>(reference.shape[axis]));
  for (std::size_t i = 0; i < x->size(); ++i) {
    channels[i / inner % channels.size()].Add((*x)[i], (*y)[i]);
  }
  ASSERT_EQ(comparison.channels.size(), channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    SCOPED_TRACE("channel " + std::to_string(i));
    ExpectSame(comparison.channels[i], channels[i]);
  }
}

TEST(Compare, AgreesWithALongDoubleLoopForEveryGranularityAndChannelAxis) {
  std::mt19937 random(3);
  const std::vector<std::vector<std::int64_t>> shapes = {
      {1}, {5}, {9001}, {64, 27}, {27, 64}, {3, 5, 7}, {2, 3, 40, 41}, {300, 300}, {4, 1, 70}};
  for (const auto& shape : shapes) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    const std::vector<float> values = Normal(count, 0.05f, 17);
    std::vector<float> scales(count);
    std::vector<std::int32_t> zero_points(count);
    for (float& scale : scales) scale = 0.0005f + 1e-6f * static_cast<float>(random() % 1000);
    for (auto& zero : zero_points) zero = static_cast<std::int32_t>(random() % 200) - 100;
    const auto codes = Quantize<std::int8_t>(values, 0.001f, 3);
    const auto unsigned_codes = Quantize<std::uint8_t>(values, 0.001f, 130);
    const auto quantizations = [&] {
      std::vector<Quantization> all = {
          Quantization::PerTensor(std::span(scales).first(1)),
          Quantization::PerTensor(std::span(scales).first(1), std::span(zero_points).first(1))};
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const auto channels = static_cast<std::size_t>(shape[axis]);
        all.push_back(Quantization::PerChannel(std::span(scales).first(channels),
                                               std::span(zero_points).first(channels), axis));
      }
      for (const std::size_t group : {1u, 3u, 32u}) {
        const auto row = static_cast<std::size_t>(shape.back());
        const std::size_t groups = count / row * ((row + group - 1) / group);
        all.push_back(Quantization::PerGroup(std::span(scales).first(groups),
                                             std::span(zero_points).first(groups), group));
      }
      return all;
    }();
    for (const Quantization& quantization : quantizations) {
      for (std::size_t axis = 0; axis <= shape.size(); ++axis) {
        SCOPED_TRACE("rank " + std::to_string(shape.size()) + ", axis " + std::to_string(axis));
        ComparisonOptions options;
        if (axis < shape.size()) options.channel_axis = axis;
        TensorView compressed(codes, shape);
        compressed.quantization = quantization;
        ExpectAgreesWithTheLoop(TensorView(values, shape), compressed, options);
        TensorView compressed_unsigned(unsigned_codes, shape);
        compressed_unsigned.quantization = quantization;
        ExpectAgreesWithTheLoop(TensorView(values, shape), compressed_unsigned, options);
      }
    }
  }
}

TEST(Compare, AgreesWithALongDoubleLoopForRealValuesOfAnyKind) {
  const std::vector<float> x = Normal(6 * 1001, 1, 1), noise = Normal(6 * 1001, 0.1f, 2);
  std::vector<float> y(x.size());
  std::ranges::transform(x, noise, y.begin(), std::plus<>());
  const std::vector<double> wide_y(y.begin(), y.end());
  std::vector<std::uint16_t> brain;
  for (const float value : y) {
    brain.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
  }
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{6, 1001}, {1001, 6}, {1001, 3, 2}}) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const ComparisonOptions options{.channel_axis = axis};
      const TensorView reference(x, shape);
      ExpectAgreesWithTheLoop(reference, TensorView(y, shape), options);
      ExpectAgreesWithTheLoop(reference, TensorView(wide_y, shape), options);
      ExpectAgreesWithTheLoop(reference, TensorView(DType::kBfloat16, brain.data(), shape),
                              options);
    }
  }
}

TEST(Compare, CosineIsRightWhereOneMinusCosineIsTiny) {
  const std::vector<float> x = Normal(1'000'000, 0.05f, 9);
  const auto codes = Quantize<std::int8_t>(x, 0.002f, 0);
  const float scale = 0.002f;
  TensorView compressed(codes);
  compressed.quantization = Quantization::PerTensor({&scale, 1});
  long double dot = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double a = x[i];
    const long double b = static_cast<long double>(codes[i]) * static_cast<long double>(scale);
    dot += a * b, xx += a * a, yy += b * b;
  }
  const double exact = static_cast<double>(1 - dot / std::sqrt(xx * yy));
  const double ours = 1 - CompareOrDie(x, compressed).total.Cosine();
  EXPECT_GT(exact, 1e-6);
  EXPECT_NEAR(ours, exact, 1e-14);
}

// Long stretches are compared in other ways while errors are no more than rounding.
TEST(Compare, LongStretchesOfRoundedAndOfDamagedValuesAgreeWithTheLoop) {
  std::vector<float> x = Normal(100'000, 0.05f, 21);
  const float scale = 0.002f;
  auto codes = Quantize<std::int8_t>(x, scale, 0);
  for (std::size_t i = 20'000; i < 29'000; ++i) codes[i] = static_cast<std::int8_t>(codes[i] / 2);
  codes[50'000] = 0;
  x[70'000] = std::numeric_limits<float>::quiet_NaN();
  x[90'000] = 3e30f;
  TensorView compressed(codes);
  compressed.quantization = Quantization::PerTensor({&scale, 1});
  for (const std::size_t count : {x.size(), std::size_t{89'000}}) {
    ExpectedSums expected;
    for (std::size_t i = 0; i < count; ++i) {
      expected.Add(static_cast<double>(x[i]), codes[i] * static_cast<double>(scale));
    }
    compressed.shape = {static_cast<std::int64_t>(count)};
    const PairStatistics pairs =
        CompareOrDie(TensorView(DType::kFloat32, x.data(), compressed.shape), compressed).total;
    EXPECT_EQ(pairs.count, count);
    EXPECT_EQ(pairs.reference.nan_count, 1u);
    ExpectSame(pairs, expected, 1e-10);
    EXPECT_EQ(
        pairs.steps->used_codes,
        static_cast<int>(std::set(codes.begin(), codes.begin() + static_cast<long>(count)).size()));
  }
}

TEST(Compare, ValuesThatAreNotFiniteAreCountedAndLeftOut) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> x = Normal(10'000, 1, 4), y = Normal(10'000, 1, 5);
  x[17] = nan, y[17] = infinity, x[5000] = infinity, y[5001] = -infinity, y[9999] = nan;
  ExpectAgreesWithTheLoop(x, y, {});
  const PairStatistics total = CompareOrDie(x, y).total;
  EXPECT_EQ(total.count, 10'000u);
  EXPECT_EQ(total.finite_count(), 9'996u);
  EXPECT_EQ(total.reference.nan_count, 1u);
  EXPECT_EQ(total.reference.positive_infinity_count, 1u);
  EXPECT_EQ(total.compressed.nan_count, 1u);
  EXPECT_EQ(total.compressed.positive_infinity_count, 1u);
  EXPECT_EQ(total.compressed.negative_infinity_count, 1u);

  const std::vector<float> nothing = {nan, infinity};
  const PairStatistics none = CompareOrDie(nothing, nothing).total;
  EXPECT_TRUE(std::isnan(none.SqnrDb()) && std::isnan(none.Cosine()) && std::isnan(none.Mse()));
}

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
  // The codes reach from -12.8 to 12.7; half a step beyond is still rounding.
  const std::vector<float> x = {12.7f, 12.74f, 12.76f, 100, -12.84f, -12.86f, 0, 0};
  const float scale = 0.1f;
  const auto codes = Quantize<std::int8_t>(x, scale, 0);
  TensorView compressed(codes);
  compressed.quantization = Quantization::PerTensor({&scale, 1});
  EXPECT_EQ(CompareOrDie(x, compressed).total.steps->clipped_count, 3u);

  // With four bits, from -0.8 to 0.7; dequantized values say the same by way of a grid.
  const ComparisonOptions four_bits{.code_range = ComparisonOptions::CodeRange{-8, 7}};
  EXPECT_EQ(CompareOrDie(x, compressed, four_bits).total.steps->clipped_count, 6u);
  const auto reals = ToFloats(compressed);
  const PairStatistics on_grid =
      CompareOrDie(x, *reals, {.grid = QuantizationGrid{0.1, 0, -128, 127}}).total;
  EXPECT_EQ(on_grid.steps->clipped_count, 3u);
  EXPECT_NEAR(*on_grid.RmseSteps(), *CompareOrDie(x, compressed).total.RmseSteps(), 1e-5);
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
  // References counted on the grid of other codes than those they became.
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
  EXPECT_THAT(Compare(flat, matrix),
              FailsSaying(ErrorCode::kInvalidArgument, "[6] but the compressed tensor [2, 3]"));
  EXPECT_THAT(Compare(matrix, matrix, {.channel_axis = 2}),
              FailsSaying(ErrorCode::kInvalidArgument, "channel axis 2"));
  EXPECT_THAT(Compare(flat, flat, {.divergence = true}),
              FailsSaying(ErrorCode::kInvalidArgument, "needs steps"));
  EXPECT_THAT(Compare(flat, flat, {.grid = QuantizationGrid{0, 0, -128, 127}}),
              FailsSaying(ErrorCode::kInvalidArgument, "scale"));
  EXPECT_THAT(Compare(flat, flat, {.grid = QuantizationGrid{1, 0, 9, 8}}),
              FailsSaying(ErrorCode::kInvalidArgument, "from 9 to 8"));
  ComparisonBuilder builder({.channel_axis = 1});
  ASSERT_THAT(builder.Add(matrix, matrix), testing::Succeeds());
  const TensorView other(six, {3, 2});
  EXPECT_THAT(builder.Add(other, other),
              FailsSaying(ErrorCode::kInvalidArgument, "has 2 channels along axis 1"));
  EXPECT_EQ(builder.Build().total.count, 6u);
}

TEST(Compare, NothingComparedIsNotPerfect) {
  const Comparison empty = ComparisonBuilder({.channel_axis = 0}).Build();
  EXPECT_EQ(empty.total.count, 0u);
  EXPECT_TRUE(std::isnan(empty.total.SqnrDb()));
  EXPECT_EQ(empty.worst_channel, std::nullopt);
}

}  // namespace
}  // namespace cboard
