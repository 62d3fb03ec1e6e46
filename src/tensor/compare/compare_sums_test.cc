#include "tensor/compare/compare_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "cboard/tensor/compare.h"
#include "cboard/tensor/convert.h"
#include "tensor/testing/compared_values.h"
#include "testing/special_values.h"

namespace cboard::tensor {
namespace {

using testing::CompareOrDie;
using testing::kInfinity;
using testing::Normal;
using testing::Quantize;

// Result of a loop in long double for the same pairs.
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
  // The dot product is computed from squares, so it is as exact as the larger of them.
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

// Compares the total and every channel with a plain loop, for tensors of any kind.
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

TEST(PairSums, AgreesWithALongDoubleLoopForEveryGranularityAndChannelAxis) {
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

TEST(PairSums, AgreesWithALongDoubleLoopForRealValuesOfAnyKind) {
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

TEST(PairSums, CosineIsRightWhereOneMinusCosineIsTiny) {
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

// Long stretches are compared by a faster method while errors are only rounding.
TEST(PairSums, LongStretchesOfRoundedAndOfDamagedValuesAgreeWithTheLoop) {
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

TEST(PairSums, ValuesThatAreNotFiniteAreCountedAndLeftOut) {
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

}  // namespace
}  // namespace cboard::tensor
