#include "cboard/tensor/convert.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tensor/testing/test_data.h"
#include "testing/every_instruction_set.h"
#include "testing/matchers.h"

namespace cboard::tensor {
namespace {

using ::cboard::testing::FailsSaying;
using ::testing::ElementsAre;

// Computes the value of a binary16 pattern by its definition, in double arithmetic.
double HalfByDefinition(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  double magnitude;
  if (exponent == 0x1F) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(1024 + mantissa, exponent - 25);
  }
  return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0 : 1.0);
}

TEST(HalfToFloat, HasTheValueOfEveryPattern) {
  for (unsigned pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const double expected = HalfByDefinition(bits);
    const float actual = HalfToFloat(bits);
    ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << pattern;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual)) << pattern;
    } else {
      ASSERT_EQ(static_cast<double>(actual), expected) << pattern;
    }
  }
}

TEST(BfloatToFloat, IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(BfloatToFloat(0x3F80), 1.0f);
  EXPECT_EQ(BfloatToFloat(0xC049), -3.140625f);
  EXPECT_EQ(BfloatToFloat(0x7F80), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(BfloatToFloat(0x7FC0)));
}

template <typename T>
class ToDoublesOf : public ::testing::Test {};
using Integers =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ToDoublesOf, Integers);

TYPED_TEST(ToDoublesOf, KeepsTheExtremesOfTheType) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> values = {Limits::lowest(), 0, 1, Limits::max()};
  EXPECT_THAT(ToDoubles(values).value(), ElementsAre(static_cast<double>(Limits::lowest()), 0, 1,
                                                     static_cast<double>(Limits::max())));
}

TYPED_TEST(ToDoublesOf, ReadsElementsThatAreNotAligned) {
  const std::vector<TypeParam> values = {1, 2, 3};
  std::vector<char> bytes(1 + 3 * sizeof(TypeParam));
  std::memcpy(bytes.data() + 1, values.data(), 3 * sizeof(TypeParam));
  const TensorView view(DTypeOf<TypeParam>(), bytes.data() + 1, {3});
  EXPECT_THAT(ToDoubles(view).value(), ElementsAre(1, 2, 3));
  EXPECT_THAT(ToFloats(view).value(), ElementsAre(1, 2, 3));
}

TEST(ToDoubles, TakesAnyByteOfABoolButZeroForTrue) {
  const std::vector<std::uint8_t> bytes = {0, 1, 2, 255};
  EXPECT_THAT(ToDoubles({DType::kBool, bytes.data(), {4}}).value(), ElementsAre(0, 1, 1, 1));
}

TEST(ToDoubles, ReadsHalfAndBfloat) {
  const std::vector<std::uint16_t> bits = {0x3C00, 0xC000};
  EXPECT_THAT(ToDoubles({DType::kFloat16, bits.data(), {2}}).value(), ElementsAre(1, -2));
  EXPECT_THAT(ToFloats({DType::kBfloat16, bits.data(), {2}}).value(),
              ElementsAre(0.0078125f, -2.0f));
}

TEST(ToDoubles, DequantizesPerTensor) {
  const std::vector<std::int8_t> codes = {-128, 0, 127};
  const std::vector<float> scale = {0.5f};
  const std::vector<std::int32_t> zero_point = {-128};
  TensorView view(codes);
  view.quantization = Quantization::PerTensor(scale, zero_point);
  EXPECT_THAT(ToDoubles(view).value(), ElementsAre(0, 64, 127.5));
}

TEST(ToDoubles, DequantizesPerChannelAlongAnyAxis) {
  const std::vector<std::uint8_t> codes = {1, 2, 3, 4, 5, 6};
  const std::vector<float> rows = {1, 10};
  const std::vector<float> columns = {1, 10, 100};
  const std::vector<std::int32_t> zero_points = {0, 1, 2};
  TensorView view(codes, {2, 3});
  view.quantization = Quantization::PerChannel(rows, {}, 0);
  EXPECT_THAT(ToDoubles(view).value(), ElementsAre(1, 2, 3, 40, 50, 60));
  view.quantization = Quantization::PerChannel(columns, zero_points, 1);
  EXPECT_THAT(ToDoubles(view).value(), ElementsAre(1, 10, 100, 4, 40, 400));
}

TEST(ToDoubles, DequantizesGroupsThatEndWithTheRow) {
  std::vector<std::int16_t> codes(10);
  std::iota(codes.begin(), codes.end(), std::int16_t{1});
  const std::vector<float> scales = {1, 2, 4, 8, 16, 32};  // Per row: 2, 2 and 1 elements.
  TensorView view(codes, {2, 5});
  view.quantization = Quantization::PerGroup(scales, {}, 2);
  EXPECT_THAT(ToFloats(view).value(),
              ElementsAre(1, 2, 2 * 3, 2 * 4, 4 * 5, 8 * 6, 8 * 7, 16 * 8, 16 * 9, 32 * 10));
}

TEST(ToFloats, RoundsOnceLikeAFloatProduct) {
  std::vector<std::int32_t> codes(3000);
  std::iota(codes.begin(), codes.end(), -1500);
  const std::vector<float> scale = {0.1f};
  TensorView view(codes);
  view.quantization = Quantization::PerTensor(scale);
  const std::vector<float> values = ToFloats(view).value();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    ASSERT_EQ(values[i], static_cast<float>(codes[i]) * 0.1f);
  }
}

struct InvalidView {
  const char* name;
  TensorView view;
  const char* message;
};

class InvalidTensor : public ::testing::TestWithParam<InvalidView> {};

TEST_P(InvalidTensor, IsRefusedWithAReason) {
  const auto& [name, view, message] = GetParam();
  EXPECT_THAT(view.Validate(), FailsSaying(ErrorCode::kInvalidArgument, message));
  EXPECT_THAT(ToDoubles(view), FailsSaying(ErrorCode::kInvalidArgument, message));
  EXPECT_THAT(ToFloats(view), FailsSaying(ErrorCode::kInvalidArgument, message));
}

constexpr float kScales[] = {1, 2, 3};
constexpr std::int32_t kZeroPoints[] = {0, 0};
constexpr std::int8_t kCodes[] = {1, 2, 3, 4};

TensorView Quantized(DType dtype, std::vector<std::int64_t> shape, Quantization quantization) {
  TensorView view(dtype, kCodes, std::move(shape));
  view.quantization = quantization;
  return view;
}

INSTANTIATE_TEST_SUITE_P(
    Views, InvalidTensor,
    ::testing::Values(
        InvalidView{"NegativeDimension", {DType::kInt8, kCodes, {2, -2}}, "negative dimension"},
        InvalidView{"Overflow",
                    {DType::kFloat64, kCodes, {1LL << 40, 1LL << 40}},
                    "exceeds the address space"},
        InvalidView{"NoData", {DType::kFloat32, nullptr, {2}}, "the data pointer is null"},
        InvalidView{"UnknownDType", {static_cast<DType>(99), kCodes, {2}}, "dtype 99"},
        InvalidView{
            "QuantizedFloats",
            Quantized(DType::kFloat16, {2}, Quantization::PerTensor(std::span(kScales).first(1))),
            "only integers and floats of 8 or 4 bits can be quantized codes, not float16"},
        InvalidView{"TooManyScales", Quantized(DType::kInt8, {4}, Quantization::PerTensor(kScales)),
                    "needs 1 scales, but 3 are given"},
        InvalidView{"AxisOutOfRange",
                    Quantized(DType::kInt8, {2, 2}, Quantization::PerChannel(kScales, {}, 2)),
                    "axis 2 is not a dimension of shape [2, 2]"},
        InvalidView{"ChannelsDoNotMatch",
                    Quantized(DType::kInt8, {2, 2}, Quantization::PerChannel(kScales, {}, 1)),
                    "needs 2 scales, but 3 are given"},
        InvalidView{"ZeroPointsDoNotMatch",
                    Quantized(DType::kInt8, {3}, Quantization::PerChannel(kScales, kZeroPoints, 0)),
                    "3 scales, but 2 zero points"},
        InvalidView{"GroupOfNothing",
                    Quantized(DType::kInt8, {3}, Quantization::PerGroup(kScales, {}, 0)),
                    "group size above 0"},
        InvalidView{"GroupOfScalar",
                    Quantized(DType::kInt8, {}, Quantization::PerGroup(kScales, {}, 1)),
                    "and shape []"}),
    [](const auto& tested) { return tested.param.name; });

TEST(ToDoubles, OfNothingIsEmpty) {
  EXPECT_THAT(ToDoubles(TensorView()).value(), ElementsAre());
  EXPECT_THAT(ToDoubles({DType::kInt8, nullptr, {3, 0, 1LL << 62}}).value(), ElementsAre());
}

TEST(ToDoubles, OfAScalarIsOneValue) {
  const float value = 2.5f;
  EXPECT_THAT(ToDoubles({DType::kFloat32, &value, {}}).value(), ElementsAre(2.5));
}

TEST(ToFloats, ReadsFloatsOfEightAndFourBits) {
  const std::vector<std::uint8_t> bytes = {0x38, 0xB8, 0x7E, 0x01, 0x7F};
  const auto read = [&](DType dtype, std::int64_t count) {
    return ToFloats({dtype, bytes.data(), {count}}).value();
  };
  EXPECT_THAT(read(DType::kFloat8E4m3fn, 4), ElementsAre(1.f, -1.f, 448.f, 0x1p-9f));
  EXPECT_TRUE(std::isnan(read(DType::kFloat8E4m3fn, 5)[4]));
  EXPECT_THAT(read(DType::kFloat8E5m2, 2), ElementsAre(0.5f, -0.5f));
  EXPECT_THAT(read(DType::kFloat8E8m0, 2), ElementsAre(0x1p-71f, 0x1p57f));
  // Float4 values are packed two per byte, the first one in the lower half.
  EXPECT_THAT(read(DType::kFloat4E2m1, 3), ElementsAre(-0.f, 1.5f, -0.f));
}

TEST(ToDoubles, ReadsPackedIntegersWithTheirScales) {
  const std::vector<std::uint8_t> bytes = {0x8F, 0x72};
  const TensorView codes(DType::kInt4, bytes.data(), {2, 2});
  EXPECT_EQ(codes.byte_count(), 2u);
  EXPECT_THAT(ToDoubles(codes).value(), ElementsAre(-1, -8, 2, 7));
  EXPECT_THAT(ToDoubles({DType::kUint4, bytes.data(), {3}}).value(), ElementsAre(15, 8, 2));
  EXPECT_THAT(ToDoubles({DType::kInt2, bytes.data(), {5}}).value(), ElementsAre(-1, -1, 0, -2, -2));
  TensorView scaled = codes;
  const std::vector<float> scales = {0.5f, 2};
  const std::vector<std::int32_t> zero_points = {0, 1};
  scaled.quantization = Quantization::PerChannel(scales, zero_points, 0);
  EXPECT_THAT(ToDoubles(scaled).value(), ElementsAre(-0.5, -4, 2, 12));
  scaled.dtype = DType::kFloat4E2m1;  // -6, -0, 1, 6.
  EXPECT_THAT(ToDoubles(scaled).value(), ElementsAre(-3, 0, 0, 10));
}

TEST(ToDoubles, FollowsStrides) {
  const std::vector<std::int16_t> matrix = {1, 2, 3, 4, 5, 6};
  TensorView turned(DType::kInt16, matrix.data(), {3, 2});
  turned.strides = {1, 3};
  EXPECT_THAT(ToDoubles(turned).value(), ElementsAre(1, 4, 2, 5, 3, 6));
  TensorView reversed(DType::kInt16, matrix.data() + 5, {3});
  reversed.strides = {-2};
  EXPECT_THAT(ToDoubles(reversed).value(), ElementsAre(6, 4, 2));
  TensorView repeated(DType::kInt16, matrix.data(), {2, 2});
  repeated.strides = {0, 1};
  EXPECT_THAT(ToDoubles(repeated).value(), ElementsAre(1, 2, 1, 2));
  TensorView bytes(DType::kFloat8E4m3fn, matrix.data(), {2});
  bytes.strides = {2};
  EXPECT_THAT(ToDoubles(bytes).value(), ElementsAre(0x1p-9, 0x1p-8));
}

TEST(PlainTensor, BorrowsWhatIsPlain) {
  const std::vector<float> values = {1, 2};
  const TensorView view(values);
  const auto plain = PlainTensor::Of(view);
  ASSERT_TRUE(plain);
  EXPECT_EQ(&plain->view(), &view);
  EXPECT_FALSE(plain->is_copy());
}

TEST(TensorView, RefusesElementsAndStridesThatCannotBeRead) {
  const std::vector<std::uint8_t> bytes(64);
  const auto fails = [&](DType dtype, std::vector<std::int64_t> strides) {
    TensorView view(dtype, bytes.data(), {2, 2});
    view.strides = std::move(strides);
    return view.Validate();
  };
  EXPECT_THAT(fails(DType::kQ4_0, {}), FailsSaying(ErrorCode::kInvalidArgument, "q4_0"));
  EXPECT_THAT(fails(DType::kComplex64, {}), FailsSaying(ErrorCode::kInvalidArgument, "complex64"));
  EXPECT_THAT(fails(DType::kInt4, {2, 1}),
              FailsSaying(ErrorCode::kInvalidArgument, "cannot have strides"));
  EXPECT_THAT(fails(DType::kInt8, {1}),
              FailsSaying(ErrorCode::kInvalidArgument, "needs 2 strides, but 1 are given"));
  EXPECT_THAT(fails(DType::kInt64, {1LL << 61, 1}),
              FailsSaying(ErrorCode::kInvalidArgument, "exceeds the address space"));
}

TEST(Convert, ManyHalvesAreWhatEachIs) {
  const std::span<const std::uint16_t> bits = testing::All16BitPatterns();
  std::vector<char> unaligned(1 + 2 * bits.size());
  std::memcpy(unaligned.data() + 1, bits.data(), 2 * bits.size());
  testing::OnEveryInstructionSet([&] {
    for (const std::size_t count : {bits.size(), std::size_t{1}, std::size_t{37}}) {
      std::vector<float> floats(count);
      HalvesToFloats(unaligned.data() + 1, floats);
      for (std::size_t i = 0; i < count; ++i) {
        const float one = HalfToFloat(bits[i]);
        ASSERT_TRUE(floats[i] == one || (std::isnan(floats[i]) && std::isnan(one))) << bits[i];
        ASSERT_EQ(std::signbit(floats[i]), std::signbit(one)) << bits[i];
      }
    }
  });
}

}  // namespace
}  // namespace cboard::tensor
