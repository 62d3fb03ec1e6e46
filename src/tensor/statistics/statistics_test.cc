#include "cboard/tensor/statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "cboard/tensor/convert.h"
#include "tensor/testing/test_data.h"
#include "testing/matchers.h"

namespace cboard::tensor {
namespace {

using ::cboard::testing::FailsSaying;
using ::testing::Each;
using ::testing::SizeIs;

// Adds one value after the other, in the widest floating-point type.
TensorStatistics Naive(const std::vector<double>& values) {
  TensorStatistics expected;
  long double sum = 0, sum_squares = 0;
  double min = std::numeric_limits<double>::infinity(), max = -min;
  for (const double value : values) {
    ++expected.count;
    if (std::isnan(value)) {
      ++expected.nan_count;
    } else if (std::isinf(value)) {
      ++(value > 0 ? expected.positive_infinity_count : expected.negative_infinity_count);
    } else {
      min = std::min(min, value);
      max = std::max(max, value);
      sum += value;
      sum_squares += static_cast<long double>(value) * value;
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool any = expected.finite_count() > 0;
  expected.min = any ? min : nan;
  expected.max = any ? max : nan;
  expected.sum = any ? static_cast<double>(sum) : nan;
  expected.sum_squares = any ? static_cast<double>(sum_squares) : nan;
  return expected;
}

void ExpectSame(double actual, double expected, double tolerance) {
  if (std::isfinite(expected)) {
    EXPECT_NEAR(actual, expected, tolerance);
  } else if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << actual;
  } else {
    EXPECT_EQ(actual, expected);
  }
}

// Counts, minimum and maximum must be exact; sums within a few roundings of the values' size.
void ExpectSame(const TensorStatistics& actual, const std::vector<double>& values) {
  const TensorStatistics expected = Naive(values);
  EXPECT_EQ(actual.count, expected.count);
  EXPECT_EQ(actual.nan_count, expected.nan_count);
  EXPECT_EQ(actual.positive_infinity_count, expected.positive_infinity_count);
  EXPECT_EQ(actual.negative_infinity_count, expected.negative_infinity_count);
  ExpectSame(actual.min, expected.min, 0);
  ExpectSame(actual.max, expected.max, 0);
  double magnitude = 0;
  for (const double value : values) magnitude += std::isfinite(value) ? std::abs(value) : 0;
  ExpectSame(actual.sum, expected.sum, magnitude * 1e-15);
  ExpectSame(actual.sum_squares, expected.sum_squares, expected.sum_squares * 1e-14);
}

void ExpectRight(const TensorView& view) {
  ExpectSame(ComputeStatistics(view).value(), ToDoubles(view).value());
}

template <typename T>
class StatisticsOf : public ::testing::Test {};
using Elements =
    ::testing::Types<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                     std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(StatisticsOf, Elements);

TYPED_TEST(StatisticsOf, AreRightForEveryLengthAndStart) {
  std::vector<TypeParam> values(300);
  std::mt19937_64 random(1);
  for (TypeParam& value : values) {
    value = static_cast<TypeParam>(static_cast<double>(random() >> 40) / (1 << 17) - 64);
    if constexpr (std::is_integral_v<TypeParam>) value = static_cast<TypeParam>(random());
  }
  for (std::size_t first = 0; first < 17; ++first) {
    for (std::size_t count = 0; count < 280; count += 1 + count / 70) {
      SCOPED_TRACE(std::to_string(first) + "+" + std::to_string(count));
      ExpectRight(std::span<const TypeParam>(values).subspan(first, count));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(StatisticsOf, DoNotNeedAlignment) {
  const auto values = testing::Normal<TypeParam>(1000, 2, 50, 10);
  std::vector<char> bytes(1 + values.size() * sizeof(TypeParam));
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(TypeParam));
  ExpectRight({DTypeOf<TypeParam>(), bytes.data() + 1, {1000}});
}

TYPED_TEST(StatisticsOf, CoverTheExtremesOfTheType) {
  using Limits = std::numeric_limits<TypeParam>;
  ExpectRight(std::vector<TypeParam>(5000, Limits::max()));
  ExpectRight(std::vector<TypeParam>(5000, Limits::lowest()));
  std::vector<TypeParam> both(9001, Limits::lowest());
  std::fill_n(both.begin(), 4000, Limits::max());
  if constexpr (!std::is_same_v<TypeParam, double>) ExpectRight(both);
}

TYPED_TEST(StatisticsOf, SpanManyBlocks) {
  ExpectRight(testing::Normal<TypeParam>(1'000'003, 3, 60, 15));
}

template <typename T>
class RealStatisticsOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RealStatisticsOf, Reals);

TYPED_TEST(RealStatisticsOf, SetAsideWhatIsNotFinite) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam odd : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (std::size_t length : {1u, 7u, 64u, 100u, 9000u}) {
      for (std::size_t at = 0; at < length; at += 1 + length / 40) {
        std::vector<TypeParam> values = testing::Normal<TypeParam>(length, 4);
        values[at] = odd;
        ExpectRight(values);
      }
    }
  }
  ExpectRight(testing::EdgeCaseValues<float>());
}

TYPED_TEST(RealStatisticsOf, AreNanWithoutAFiniteValue) {
  using Limits = std::numeric_limits<TypeParam>;
  ExpectRight(std::vector<TypeParam>(100, Limits::quiet_NaN()));
  ExpectRight(std::vector<TypeParam>{Limits::infinity(), -Limits::infinity()});
  ExpectRight(std::vector<TypeParam>{});
}

TEST(Statistics, KeepSmallValuesBesideLargeOnes) {
  // A running sum in double precision would lose every 1e-10 next to 1e8 and end at 0.
  std::vector<double> values(1'000'001, 1e-10);
  values.front() = 1e8;
  values.back() = -1e8;
  EXPECT_NEAR(ComputeStatistics(values)->sum, 999'999 * 1e-10, 1e-7);
}

TEST(Statistics, OfEverySixteenBitPattern) {
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kInt16, DType::kUint16}) {
    SCOPED_TRACE(NameOf(dtype));
    ExpectRight({dtype, testing::All16BitPatterns().data(), {65536}});
  }
}

TEST(Statistics, OfBoolCountTrueAsOne) {
  const std::vector<std::uint8_t> bytes = {0, 1, 0, 255, 1};
  const TensorStatistics statistics = ComputeStatistics({DType::kBool, bytes.data(), {5}}).value();
  EXPECT_EQ(statistics.sum, 3);
  EXPECT_EQ(statistics.sum_squares, 3);
  EXPECT_EQ(statistics.max, 1);
}

TEST(Statistics, OfManyCodesAreExactIntegers) {
  // So many values that 32-bit sums of squares would overflow many times.
  const std::vector<std::uint8_t> codes(3'000'001, 255);
  const TensorStatistics statistics = ComputeStatistics(codes).value();
  EXPECT_EQ(statistics.sum, 255.0 * 3'000'001);
  EXPECT_EQ(statistics.sum_squares, 255.0 * 255.0 * 3'000'001);
}

// Tests codes of each integer type with each granularity, in short and long runs.
template <typename T>
class QuantizedStatisticsOf : public ::testing::Test {
 protected:
  static std::vector<float> Scales(std::size_t count) {
    std::vector<float> scales(count);
    std::mt19937 random(6);
    for (float& scale : scales) scale = 0.001f * static_cast<float>(random() % 1000 + 1);
    if (count > 2) scales[1] = -0.25f;
    return scales;
  }
  static std::vector<std::int32_t> ZeroPoints(std::size_t count) {
    std::vector<std::int32_t> zero_points(count);
    std::iota(zero_points.begin(), zero_points.end(), -3);
    return zero_points;
  }
  static std::vector<T> Codes(std::size_t count) {
    std::vector<T> codes(count);
    std::mt19937_64 random(7);
    for (T& code : codes) code = static_cast<T>(random() >> 33);
    return codes;
  }
};
using Codes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(QuantizedStatisticsOf, Codes);

TYPED_TEST(QuantizedStatisticsOf, EqualThoseOfDequantizedValues) {
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{
           {3, 5, 7}, {2, 3, 1000}, {16, 200}, {300, 16}, {5000}}) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    const auto codes = this->Codes(count);
    TensorView view(codes, shape);

    const auto scale = this->Scales(1);
    const auto zero_point = this->ZeroPoints(1);
    view.quantization = Quantization::PerTensor(scale, zero_point);
    ExpectRight(view);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto scales = this->Scales(static_cast<std::size_t>(shape[axis]));
      const auto zero_points = this->ZeroPoints(scales.size());
      view.quantization = Quantization::PerChannel(scales, zero_points, axis);
      ExpectRight(view);
    }
    for (const std::size_t group_size : {1u, 6u, 64u, 100u, 10'000u}) {
      const auto row = static_cast<std::size_t>(shape.back());
      const auto scales = this->Scales(count / row * ((row + group_size - 1) / group_size));
      view.quantization = Quantization::PerGroup(scales, {}, group_size);
      ExpectRight(view);
    }
  }
}

TYPED_TEST(QuantizedStatisticsOf, ShowADamagedScale) {
  const auto codes = this->Codes(600);
  for (const float scale :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> scales = {0.5f, scale, 2.0f};
    TensorView view(codes, {3, 200});
    view.quantization = Quantization::PerChannel(scales, {}, 0);
    ExpectRight(view);
  }
}

TEST(ChannelStatistics, EqualStatisticsOfEachChannelAlone) {
  const std::vector<float> values = testing::Normal<float>(4 * 6 * 50, 8);
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{4, 6, 50}, {1200}, {200, 6}}) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto channels = static_cast<std::size_t>(shape[axis]);
      std::size_t inner = 1;
      for (std::size_t i = axis + 1; i < shape.size(); ++i) {
        inner *= static_cast<std::size_t>(shape[i]);
      }
      const auto statistics = ComputeChannelStatistics(TensorView(values, shape), axis).value();
      ASSERT_THAT(statistics, SizeIs(channels));
      for (std::size_t channel = 0; channel < channels; ++channel) {
        std::vector<double> own;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (i / inner % channels == channel) own.push_back(static_cast<double>(values[i]));
        }
        ExpectSame(statistics[channel], own);
      }
    }
  }
}

TEST(ChannelStatistics, DequantizeAlongAnotherAxis) {
  const std::vector<std::int8_t> codes = {1, 2, 3, 4, 5, 6};
  const std::vector<float> scales = {1, 10, 100};
  TensorView view(codes, {2, 3});
  view.quantization = Quantization::PerChannel(scales, {}, 1);
  const auto rows = ComputeChannelStatistics(view, 0).value();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].sum, 321);
  EXPECT_EQ(rows[1].sum, 654);
}

TEST(ChannelStatistics, OfNoElementsAreEmptyPerChannel) {
  const auto statistics = ComputeChannelStatistics({DType::kFloat32, nullptr, {3, 0}}, 0).value();
  ASSERT_THAT(statistics, SizeIs(3));
  EXPECT_THAT(statistics, Each(::testing::Field(&TensorStatistics::count, 0)));
  EXPECT_THAT(ComputeChannelStatistics({DType::kFloat32, nullptr, {1LL << 40, 0}}, 0),
              FailsSaying(ErrorCode::kInvalidArgument, "channels"));
}

TEST(ChannelStatistics, NeedADimension) {
  const std::vector<float> values = {1, 2};
  EXPECT_THAT(
      ComputeChannelStatistics(values, 1),
      FailsSaying(ErrorCode::kInvalidArgument, "axis 1 is not a dimension of a tensor of rank 1"));
}

TEST(Statistics, RefuseAnInvalidTensor) {
  EXPECT_THAT(ComputeStatistics({DType::kFloat32, nullptr, {2}}),
              FailsSaying(ErrorCode::kInvalidArgument, "the data pointer is null"));
}

}  // namespace
}  // namespace cboard::tensor
