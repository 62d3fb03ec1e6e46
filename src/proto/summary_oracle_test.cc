// libprotobuf reads what the encoders of summary.h and tensor.h write, and writes the same bytes.
#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "proto/testing/protobuf_oracle.h"
#include "testing/special_values.h"

namespace cboard::proto {
namespace {

using ::cboard::testing::kInfinity;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::ParsedByProtobuf;

cboard_testing::Summary::Value ParsedValue(const std::string& summary) {
  const auto judged = ParsedByProtobuf<cboard_testing::Summary>(summary);
  EXPECT_EQ(judged.value_size(), 1);
  return judged.value_size() == 1 ? judged.value(0) : cboard_testing::Summary::Value();
}

TEST(SummaryOracle, Scalars) {
  for (const float number : {0.0f, -0.0f, 1.5f, std::numeric_limits<float>::max(),
                             -std::numeric_limits<float>::infinity()}) {
    std::string summary;
    AppendScalarValue("Verlust/größe", number, {.description = "d\xff"}, summary);
    const auto value = ParsedValue(summary);
    EXPECT_EQ(value.tag(), "Verlust/größe");
    ASSERT_EQ(value.value_case(), cboard_testing::Summary::Value::kSimpleValue);
    EXPECT_EQ(value.simple_value(), number);
    EXPECT_FALSE(value.metadata().has_plugin_data());
    EXPECT_EQ(value.metadata().summary_description(), "d\xEF\xBF\xBD");
  }
}

TEST(SummaryOracle, ValuesWithoutMetadataHaveNone) {
  std::string summary;
  AppendScalarValue("", 1, {}, summary);
  EXPECT_FALSE(ParsedValue(summary).has_metadata());
}

TEST(SummaryOracle, Histograms) {
  const std::vector<double> limits = {-kInfinity, -1, 0, 0.5, kInfinity};
  const std::vector<double> counts = {0, 1, 2.5, 0, 7};
  std::string summary;
  AppendHistogramValue("h",
                       {.min = -2,
                        .max = 9,
                        .num = 10.5,
                        .sum = 0,
                        .sum_squares = 1e300,
                        .bucket_limits = limits,
                        .bucket_counts = counts},
                       {.plugin_name = "histograms", .data_class = DataClass::kTensor}, summary);
  const auto value = ParsedValue(summary);
  EXPECT_EQ(value.histo().min(), -2);
  EXPECT_EQ(value.histo().max(), 9);
  EXPECT_EQ(value.histo().num(), 10.5);
  EXPECT_EQ(value.histo().sum(), 0);
  EXPECT_EQ(value.histo().sum_squares(), 1e300);
  EXPECT_THAT(value.histo().bucket_limit(), ElementsAreArray(limits));
  EXPECT_THAT(value.histo().bucket(), ElementsAreArray(counts));
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "histograms");
  EXPECT_EQ(value.metadata().data_class(), 2);

  std::string empty;
  AppendHistogramValue("h", {}, {}, empty);
  EXPECT_TRUE(ParsedValue(empty).has_histo());
}

TEST(SummaryOracle, Images) {
  std::string png(1 << 20, '\xff');
  png[0] = '\0';
  std::string summary;
  AppendImageValue("i", {.height = 300, .width = 70000, .colorspace = 3, .encoded = png},
                   {.plugin_name = "images"}, summary);
  const auto value = ParsedValue(summary);
  EXPECT_EQ(value.image().height(), 300);
  EXPECT_EQ(value.image().width(), 70000);
  EXPECT_EQ(value.image().colorspace(), 3);
  EXPECT_EQ(value.image().encoded_image_string(), png);
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "images");
}

TEST(SummaryOracle, Audio) {
  std::string summary;
  AppendAudioValue("a",
                   {.sample_rate = 44100,
                    .num_channels = 1,
                    .length_frames = 123456,
                    .encoded = "RIFF\xff",
                    .content_type = "audio/wav"},
                   {}, summary);
  const auto value = ParsedValue(summary);
  EXPECT_EQ(value.audio().sample_rate(), 44100.0f);
  EXPECT_EQ(value.audio().num_channels(), 1);
  EXPECT_EQ(value.audio().length_frames(), 123456);
  EXPECT_EQ(value.audio().encoded_audio_string(), "RIFF\xff");
  EXPECT_EQ(value.audio().content_type(), "audio/wav");
}

TEST(SummaryOracle, TensorsAndMetadataOnly) {
  std::string summary;
  const std::string_view text = "hello\xff";
  AppendTensorValue("t/text_summary", EncodeStringTensor(Shape{1}, {&text, 1}),
                    {.plugin_name = "text"}, summary);
  AppendMetadataValue("_hparams_/experiment",
                      {.plugin_name = "hparams", .plugin_content = "\xfe\xff"}, summary);
  const auto judged = ParsedByProtobuf<cboard_testing::Summary>(summary);
  ASSERT_EQ(judged.value_size(), 2);
  EXPECT_EQ(judged.value(0).tensor().dtype(), 7);
  EXPECT_THAT(judged.value(0).tensor().string_val(), ElementsAre(std::string(text)));
  EXPECT_EQ(judged.value(1).value_case(), cboard_testing::Summary::Value::VALUE_NOT_SET);
  EXPECT_EQ(judged.value(1).metadata().plugin_data().content(), "\xfe\xff");
}

TEST(SummaryOracle, SummaryMetadataOnItsOwn) {
  const auto metadata = ParsedByProtobuf<cboard_testing::SummaryMetadata>(
      EncodeSummaryMetadata({.plugin_content = "c", .data_class = DataClass::kBlobSequence}));
  EXPECT_EQ(metadata.plugin_data().content(), "c");
  EXPECT_EQ(metadata.data_class(), 3);
}

TEST(TensorOracle, EveryForm) {
  const Shape shape = {2, -1, 0};
  const std::vector<float> floats = {1.5f, -0.0f};
  const std::vector<double> doubles = {1e-300, 2};
  const std::vector<std::int64_t> integers = {0, -1, std::numeric_limits<std::int64_t>::max()};

  const auto float_tensor =
      ParsedByProtobuf<cboard_testing::TensorProto>(EncodeFloatTensor(shape, floats));
  EXPECT_EQ(float_tensor.dtype(), 1);
  ASSERT_EQ(float_tensor.tensor_shape().dim_size(), 3);
  EXPECT_EQ(float_tensor.tensor_shape().dim(0).size(), 2);
  EXPECT_EQ(float_tensor.tensor_shape().dim(1).size(), -1);
  EXPECT_EQ(float_tensor.tensor_shape().dim(2).size(), 0);
  EXPECT_THAT(float_tensor.float_val(), ElementsAreArray(floats));

  const auto double_tensor =
      ParsedByProtobuf<cboard_testing::TensorProto>(EncodeDoubleTensor({}, doubles));
  EXPECT_EQ(double_tensor.dtype(), 2);
  EXPECT_TRUE(double_tensor.has_tensor_shape());
  EXPECT_THAT(double_tensor.double_val(), ElementsAreArray(doubles));

  const auto int_tensor =
      ParsedByProtobuf<cboard_testing::TensorProto>(EncodeInt64Tensor({}, integers));
  EXPECT_EQ(int_tensor.dtype(), 9);
  EXPECT_THAT(int_tensor.int64_val(), ElementsAreArray(integers));

  const std::vector<std::string_view> strings = {"", "\xff"};
  const auto string_tensor =
      ParsedByProtobuf<cboard_testing::TensorProto>(EncodeStringTensor({}, strings));
  EXPECT_EQ(string_tensor.dtype(), 7);
  EXPECT_THAT(string_tensor.string_val(), ElementsAre("", "\xff"));

  const auto raw = ParsedByProtobuf<cboard_testing::TensorProto>(
      EncodeRawTensor(DataType::kUint8, Shape{3}, "\x01\x02\xff"));
  EXPECT_EQ(raw.dtype(), 4);
  EXPECT_EQ(raw.tensor_content(), "\x01\x02\xff");

  EXPECT_EQ(ParsedByProtobuf<cboard_testing::TensorShapeProto>(EncodeShape(shape)).dim_size(), 3);
}

// Random events that both encoders build from the same numbers.
TEST(SummaryOracle, RandomEventsHaveProtobufsBytes) {
  std::mt19937_64 random(20);
  for (int round = 0; round < 300; ++round) {
    const auto number = [&] { return static_cast<double>(static_cast<std::int64_t>(random())); };
    const std::string tag(random() % 200, 't');
    std::vector<double> limits(random() % 300);
    for (double& limit : limits) limit = number();
    const auto step = static_cast<std::int64_t>(random() >> random() % 64);

    std::string summary;
    AppendHistogramValue(tag,
                         {.min = limits.empty() ? 0 : limits[0],
                          .num = static_cast<double>(limits.size()),
                          .bucket_limits = limits,
                          .bucket_counts = limits},
                         {}, summary);
    AppendScalarValue(tag, static_cast<float>(round), {}, summary);
    const std::string ours = EncodeEvent({.wall_time_seconds = number(),
                                          .step = step,
                                          .kind = EventKind::kSummary,
                                          .payload = summary});
    const auto judged = ParsedByProtobuf<cboard_testing::Event>(ours);
    EXPECT_EQ(judged.step(), step);
    ASSERT_EQ(judged.summary().value_size(), 2);
    EXPECT_EQ(judged.summary().value(0).tag(), tag);
    EXPECT_THAT(judged.summary().value(0).histo().bucket_limit(), ElementsAreArray(limits));
    EXPECT_EQ(judged.summary().value(1).simple_value(), static_cast<float>(round));
  }
}

}  // namespace
}  // namespace cboard::proto
