#include "data_server/values/stored_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "tensorboard_events.pb.h"
#include "testing/matchers.h"

namespace cboard::data_server {
namespace {

using ::cboard::testing::FailsWith;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;
using namespace std::string_view_literals;

// The only value of a Summary.
std::string ValueIn(const std::string& summary) {
  cboard_testing::Summary parsed;
  EXPECT_TRUE(parsed.ParseFromString(summary));
  EXPECT_EQ(parsed.value_size(), 1);
  return parsed.value(0).SerializeAsString();
}

std::string TensorValue(const std::string& tensor) {
  std::string summary;
  proto::AppendTensorValue("tag", tensor, {.plugin_name = "p"}, summary);
  return ValueIn(summary);
}

std::string StringValue(std::vector<std::int64_t> shape, std::vector<std::string_view> strings) {
  return TensorValue(proto::EncodeStringTensor(shape, strings));
}

cboard_testing::TensorProto Parsed(const Result<std::string>& tensor) {
  cboard_testing::TensorProto parsed;
  EXPECT_TRUE(tensor.has_value() && parsed.ParseFromString(*tensor));
  return parsed;
}

TEST(TensorOfValue, PassesTensorsOn) {
  const std::vector<std::int64_t> shape = {2, 2};
  const std::vector<double> numbers = {1, 2, 3, 4};
  const std::string tensor = proto::EncodeDoubleTensor(shape, numbers);
  EXPECT_EQ(TensorOfValue(TensorValue(tensor)), tensor);
}

TEST(TensorOfValue, MakesRowsOfAHistogram) {
  const std::vector<double> limits = {0, 1, 2}, counts = {0, 5, 6};
  std::string summary;
  proto::AppendHistogramValue(
      "h", {.min = 0.5, .max = 1.5, .num = 11, .bucket_limits = limits, .bucket_counts = counts},
      {}, summary);
  const auto tensor = Parsed(TensorOfValue(ValueIn(summary)));
  EXPECT_EQ(tensor.dtype(), 2);
  ASSERT_EQ(tensor.tensor_shape().dim_size(), 2);
  EXPECT_EQ(tensor.tensor_shape().dim(0).size(), 3);
  const std::vector<double> rows = {0.5, 0, 0, 0, 1, 5, 1, 1.5, 6};
  EXPECT_EQ(tensor.tensor_content(),
            std::string(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(double)));
}

TEST(TensorOfValue, StandsInForMetadata) {
  std::string summary;
  proto::AppendMetadataValue("m", {.plugin_name = "hparams"}, summary);
  const auto tensor = Parsed(TensorOfValue(ValueIn(summary)));
  EXPECT_EQ(tensor.dtype(), 1);
  ASSERT_EQ(tensor.tensor_shape().dim_size(), 1);
  EXPECT_EQ(tensor.tensor_shape().dim(0).size(), 0);
}

TEST(TensorOfValue, FailsForImages) {
  std::string summary;
  proto::AppendImageValue("i", {.height = 1, .width = 1, .encoded = "x"}, {}, summary);
  EXPECT_THAT(TensorOfValue(ValueIn(summary)), FailsWith(ErrorCode::kDataLoss));
}

TEST(CleanTensor, DropsNamesAndUnknownFields) {
  cboard_testing::TensorProto tensor;
  tensor.set_dtype(1);
  tensor.mutable_tensor_shape()->add_dim()->set_size(2);
  tensor.add_float_val(1.5f);
  tensor.add_float_val(2.5f);
  const std::string clean = tensor.SerializeAsString();
  // A dimension with the name "\xff", which no protobuf library accepts, and field 15.
  const std::string dirty = "\x08\x01\x12\x07\x12\x05\x08\x02\x12\x01\xff"s +
                            clean.substr(clean.find('\x2a')) + "\x7a\x01z";
  EXPECT_FALSE(cboard_testing::TensorProto().ParseFromString(dirty) && dirty == clean);
  EXPECT_EQ(CleanTensor(dirty), clean);
  EXPECT_EQ(CleanTensor(clean), clean);
}

TEST(CleanTensor, RefusesListsOfNumbersThatEndTooEarly) {
  EXPECT_THAT(CleanTensor("\x2a\x03\x01\x02\x03"sv), FailsWith(ErrorCode::kDataLoss));  // float_val
  EXPECT_THAT(CleanTensor("\x3a\x01\x80"sv), FailsWith(ErrorCode::kDataLoss));          // int_val
  EXPECT_THAT(CleanTensor("\x22\x05z"sv), FailsWith(ErrorCode::kDataLoss));
}

const reader::TagInfo kImages{
    .name = "i", .kind = reader::TagKind::kImage, .plugin_name = "images"};
const reader::TagInfo kSounds{.name = "s", .kind = reader::TagKind::kAudio, .plugin_name = "audio"};
const reader::TagInfo kKeras{
    .name = "k", .kind = reader::TagKind::kGraph, .plugin_name = "graph_keras_model"};
const reader::TagInfo kGraph{.name = "g", .kind = reader::TagKind::kGraph};

// The blobs as texts. CountBlobs must agree for every prefix that tells.
std::vector<std::string> BlobsOf(const reader::TagInfo& info, const std::string& value) {
  const Result<BlobSequence> sequence = BlobsOfValue(info, value);
  for (std::size_t size = 0; size <= value.size(); ++size) {
    const auto count = CountBlobs(info, std::string_view(value).substr(0, size), value.size());
    if (!count && count.error().code == ErrorCode::kTruncated) continue;
    EXPECT_EQ(count.has_value(), sequence.has_value()) << size << " of " << value.size();
    if (count && sequence) {
      EXPECT_EQ(*count, sequence->blobs.size());
    }
  }
  if (!sequence) return {"failed"};
  return {sequence->blobs.begin(), sequence->blobs.end()};
}

TEST(BlobsOfValue, AreSizeAndFileOfAnOldImage) {
  std::string summary;
  proto::AppendImageValue("i", {.height = 3, .width = 14, .encoded = "png"}, {}, summary);
  EXPECT_THAT(BlobsOf(kImages, ValueIn(summary)), ElementsAre("14", "3", "png"));
}

TEST(BlobsOfValue, AreTheFileOfAnOldSound) {
  std::string summary;
  proto::AppendAudioValue("s", {.sample_rate = 8000, .encoded = "wav"}, {}, summary);
  EXPECT_THAT(BlobsOf(kSounds, ValueIn(summary)), ElementsAre("wav"));
}

TEST(BlobsOfValue, AreTheStringsOfATensor) {
  EXPECT_THAT(BlobsOf(kImages, StringValue({4}, {"4", "3", "a", "b"})),
              ElementsAre("4", "3", "a", "b"));
  EXPECT_THAT(BlobsOf(kSounds, StringValue({2, 2}, {"a", "label", "b", "label"})),
              ElementsAre("a", "b"));
  EXPECT_THAT(BlobsOf(kKeras, StringValue({}, {"{}"})), ElementsAre("{}"));
  EXPECT_THAT(BlobsOf(kImages, StringValue({0}, {})), IsEmpty());
}

TEST(BlobsOfValue, FailForOtherShapes) {
  EXPECT_THAT(BlobsOf(kImages, StringValue({}, {"a"})), ElementsAre("failed"));
  EXPECT_THAT(BlobsOf(kImages, StringValue({1, 2}, {"a", "b"})), ElementsAre("failed"));
}

TEST(BlobsOfValue, AreTheBytesOfAnEvent) {
  EXPECT_THAT(BlobsOf(kGraph, "any bytes"), ElementsAre("any bytes"));
}

TEST(CountBlobs, DoesNotTrustAShapeBeyondTheValue) {
  const std::vector<std::int64_t> shape = {std::int64_t{1} << 60};
  const std::string value = TensorValue(proto::EncodeStringTensor(shape, {}));
  EXPECT_THAT(CountBlobs(kImages, value, value.size() + 1000), FailsWith(ErrorCode::kDataLoss));
}

}  // namespace
}  // namespace cboard::data_server
