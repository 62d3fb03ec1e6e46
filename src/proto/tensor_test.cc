#include "cboard/proto/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "proto/testing/golden_bytes.h"
#include "proto/testing/protobuf_oracle.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::Golden;
using ::testing::IsEmpty;
using testing::SerializedByProtobuf;
using testing::Succeeds;

Result<std::vector<double>> NumbersOf(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const Tensor tensor, ParseTensor(bytes));
  return ReadNumbers(tensor);
}

Result<std::vector<double>> NumbersOf(const cboard_testing::TensorProto& tensor) {
  return NumbersOf(SerializedByProtobuf(tensor));
}

TEST(Tensor, AScalarHasAnEmptyShape) {
  const float value = 1.5f;
  EXPECT_EQ(EncodeFloatTensor({}, {&value, 1}), Golden("08 01 12 00 2a 04 00 00 c0 3f"));
}

TEST(Tensor, TextHasTensorboardXsBytes) {
  const std::string_view text = "hi";
  EXPECT_EQ(EncodeStringTensor(Shape{1}, {&text, 1}),
            Golden("08 07 12 04 12 02 08 01 42 02 \"hi\""));
}

TEST(Tensor, ParseKeepsDtypeShapeAndBytes) {
  const std::string bytes = EncodeRawTensor(DataType::kInt8, Shape{2, 3}, "abcdef");
  const Result<Tensor> tensor = ParseTensor(bytes);
  ASSERT_THAT(tensor, Succeeds());
  EXPECT_EQ(tensor->dtype, DataType::kInt8);
  EXPECT_THAT(tensor->shape, ElementsAre(2, 3));
  EXPECT_FALSE(tensor->unknown_rank);
  EXPECT_EQ(tensor->bytes, bytes);
}

TEST(ReadNumbers, TypedListsRoundTrip) {
  const std::vector<float> floats = {1.5f, -2, 0};
  const std::vector<double> doubles = {0.1, 1e300};
  const std::vector<std::int64_t> integers = {-1, 1LL << 40};
  EXPECT_THAT(*NumbersOf(EncodeFloatTensor(Shape{3}, floats)), ElementsAre(1.5, -2, 0));
  EXPECT_THAT(*NumbersOf(EncodeDoubleTensor(Shape{1, 2}, doubles)), ElementsAre(0.1, 1e300));
  EXPECT_THAT(*NumbersOf(EncodeInt64Tensor(Shape{2}, integers)), ElementsAre(-1, 0x1p40));
}

TEST(ReadNumbers, RawContentOfEveryPlainDtype) {
  struct Case {
    DataType dtype;
    const char* content;
    double expected;
  };
  const Case kTable[] = {
      {DataType::kFloat, "00 00 c0 3f", 1.5},
      {DataType::kDouble, "00 00 00 00 00 00 f8 bf", -1.5},
      {DataType::kInt32, "fe ff ff ff", -2},
      {DataType::kUint8, "ff", 255},
      {DataType::kInt16, "00 80", -32768},
      {DataType::kInt8, "80", -128},
      {DataType::kInt64, "ff ff ff ff ff ff ff ff", -1},
      {DataType::kBool, "01", 1},
      {DataType::kQint8, "ff", -1},
      {DataType::kQuint8, "ff", 255},
      {DataType::kQint32, "ff ff ff ff", -1},
      {DataType::kBfloat16, "c0 bf", -1.5},
      {DataType::kQint16, "ff ff", -1},
      {DataType::kQuint16, "ff ff", 65535},
      {DataType::kUint16, "ff ff", 65535},
      {DataType::kHalf, "00 c1", -2.5},
      {DataType::kUint32, "ff ff ff ff", 4294967295.0},
      {DataType::kUint64, "00 00 00 00 00 00 00 80", 0x1p63},
  };
  for (const Case& entry : kTable) {
    const auto numbers = NumbersOf(EncodeRawTensor(entry.dtype, {}, Golden(entry.content)));
    ASSERT_THAT(numbers, Succeeds()) << NameOf(entry.dtype);
    EXPECT_THAT(*numbers, ElementsAre(entry.expected)) << NameOf(entry.dtype);
  }
}

TEST(ReadNumbers, TypedListsThatOthersWrite) {
  cboard_testing::TensorProto tensor;
  tensor.mutable_tensor_shape()->add_dim()->set_size(2);

  tensor.set_dtype(static_cast<int>(DataType::kInt8));
  tensor.add_int_val(-1);
  tensor.add_int_val(127);
  EXPECT_THAT(*NumbersOf(tensor), ElementsAre(-1, 127));

  tensor.set_dtype(static_cast<int>(DataType::kBool));
  tensor.add_bool_val(true);
  tensor.add_bool_val(false);
  EXPECT_THAT(*NumbersOf(tensor), ElementsAre(1, 0));

  tensor.set_dtype(static_cast<int>(DataType::kHalf));
  tensor.add_half_val(0x3c00);
  tensor.add_half_val(0x0001);
  EXPECT_THAT(*NumbersOf(tensor), ElementsAre(1, 0x1p-24));

  tensor.set_dtype(static_cast<int>(DataType::kBfloat16));
  EXPECT_THAT(*NumbersOf(tensor), ElementsAre(0.0078125, 9.183549615799121e-41));

  tensor.set_dtype(static_cast<int>(DataType::kUint32));
  tensor.add_uint32_val(4294967295u);
  tensor.add_uint32_val(0);
  EXPECT_THAT(*NumbersOf(tensor), ElementsAre(4294967295.0, 0));

  tensor.set_dtype(static_cast<int>(DataType::kUint64));
  tensor.add_uint64_val(1ull << 63);
  tensor.add_uint64_val(1);
  EXPECT_THAT(*NumbersOf(tensor), ElementsAre(0x1p63, 1));
}

TEST(ReadNumbers, HalfHasInfinitiesAndNan) {
  const auto numbers =
      NumbersOf(EncodeRawTensor(DataType::kHalf, Shape{4}, Golden("00 7c 00 fc 01 7e ff 7b")));
  ASSERT_THAT(numbers, Succeeds());
  EXPECT_EQ((*numbers)[0], INFINITY);
  EXPECT_EQ((*numbers)[1], -INFINITY);
  EXPECT_TRUE(std::isnan((*numbers)[2]));
  EXPECT_EQ((*numbers)[3], 65504);
}

TEST(ReadNumbers, OneElementIsBroadcast) {
  const float value = 7;
  EXPECT_THAT(*NumbersOf(EncodeFloatTensor(Shape{2, 2}, {&value, 1})), ElementsAre(7, 7, 7, 7));
}

TEST(ReadNumbers, ContentWinsOverTheList) {
  // tensor_content 1.5, float_val 2.5.
  EXPECT_THAT(*NumbersOf(Golden("08 01 12 00 22 04 00 00 c0 3f 2d 00 00 20 40")), ElementsAre(1.5));
}

TEST(ReadNumbers, AListThatIsNotPackedIsReadToo) {
  EXPECT_THAT(*NumbersOf(Golden("08 01 12 04 12 02 08 02 2d 00 00 20 40 2d 00 00 c0 3f")),
              ElementsAre(2.5, 1.5));
  EXPECT_THAT(*NumbersOf(Golden("08 03 12 00 38 05")), ElementsAre(5));
}

TEST(ReadNumbers, AReferenceTypeIsReadAsWhatItRefersTo) {
  EXPECT_THAT(*NumbersOf(Golden("08 65 12 00 2d 00 00 c0 3f")), ElementsAre(1.5));
}

TEST(ReadNumbers, AnEmptyTensorHasNoNumbers) {
  EXPECT_THAT(*NumbersOf(EncodeFloatTensor(Shape{0, 3}, {})), IsEmpty());
  EXPECT_THAT(*NumbersOf(EncodeFloatTensor(Shape{1LL << 62, 1LL << 62, 0}, {})), IsEmpty());
}

TEST(ReadNumbers, RefusesWhatDoesNotFit) {
  const std::vector<float> two = {1, 2};
  EXPECT_THAT(NumbersOf(EncodeFloatTensor(Shape{3}, two)),
              FailsSaying(ErrorCode::kDataLoss,
                          "tensor of dtype FLOAT and shape [3] holds 2 elements, but its shape "
                          "needs 3"));
  EXPECT_THAT(NumbersOf(EncodeFloatTensor(Shape{3}, {})), FailsWith(ErrorCode::kDataLoss));
  EXPECT_THAT(NumbersOf(EncodeRawTensor(DataType::kFloat, {}, "abcde")),
              FailsWith(ErrorCode::kDataLoss));
  EXPECT_THAT(NumbersOf(EncodeFloatTensor(Shape{-1}, two)),
              FailsSaying(ErrorCode::kDataLoss, "negative dimension"));
  EXPECT_THAT(NumbersOf(Golden("08 01 12 02 18 01")),
              FailsSaying(ErrorCode::kDataLoss, "unknown rank"));
  EXPECT_THAT(NumbersOf(EncodeRawTensor(DataType::kComplex64, {}, "12345678")),
              FailsSaying(ErrorCode::kInvalidArgument, "COMPLEX64"));
}

TEST(ReadNumbers, RefusesAHugeShapeBeforeAllocating) {
  const float value = 7;
  EXPECT_THAT(NumbersOf(EncodeFloatTensor(Shape{1LL << 40}, {&value, 1})),
              FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(NumbersOf(EncodeFloatTensor(Shape{1LL << 33, 1LL << 33}, {&value, 1})),
              FailsWith(ErrorCode::kResourceExhausted));
  const std::string bytes = EncodeFloatTensor(Shape{5}, {&value, 1});
  EXPECT_THAT(ReadNumbers(*ParseTensor(bytes), 4), FailsWith(ErrorCode::kResourceExhausted));
  EXPECT_THAT(ReadNumbers(*ParseTensor(bytes), 5), Succeeds());
}

TEST(ReadStrings, RoundTrips) {
  const std::vector<std::string_view> strings = {"", "b\xff", "c"};
  const std::string bytes = EncodeStringTensor(Shape{3}, strings);
  const auto read = ReadStrings(*ParseTensor(bytes));
  ASSERT_THAT(read, Succeeds());
  EXPECT_EQ(*read, strings);
}

TEST(ReadStrings, RefusesNumbersAndMissingElements) {
  const std::string numbers = EncodeFloatTensor({}, {});
  EXPECT_THAT(ReadStrings(*ParseTensor(numbers)), FailsWith(ErrorCode::kInvalidArgument));
  const std::string missing = EncodeStringTensor(Shape{2}, {});
  EXPECT_THAT(ReadStrings(*ParseTensor(missing)), FailsWith(ErrorCode::kDataLoss));
}

TEST(Tensor, MalformedBytesAreDataLoss) {
  for (const char* bytes : {"12 05 12", "12 02 12 05", "08", "12 04 12 02 08 80", "12 01 18"}) {
    EXPECT_THAT(ParseTensor(Golden(bytes)), FailsWith(ErrorCode::kDataLoss)) << bytes;
  }
}

TEST(DataType, HasTensorFlowsNames) {
  EXPECT_EQ(NameOf(DataType::kFloat), "FLOAT");
  EXPECT_EQ(NameOf(DataType::kFloat4E2m1fn), "FLOAT4_E2M1FN");
  EXPECT_EQ(NameOf(static_cast<DataType>(119)), "HALF");
  EXPECT_EQ(NameOf(static_cast<DataType>(34)), "?");
  EXPECT_EQ(NameOf(static_cast<DataType>(-1)), "?");
}

}  // namespace
}  // namespace cboard::proto
