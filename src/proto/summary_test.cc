#include "cboard/proto/summary.h"

#include <gtest/gtest.h>

#include <string>

#include "proto/testing/golden_bytes.h"
#include "testing/matchers.h"

namespace cboard::proto {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::Golden;
using ::testing::IsEmpty;
using testing::Succeeds;

std::vector<SummaryValue> ValuesOf(std::string_view summary) {
  std::vector<SummaryValue> values;
  EXPECT_THAT(ForEachValue(summary, [&](const SummaryValue& value) { values.push_back(value); }),
              Succeeds());
  return values;
}

TEST(Summary, ScalarZeroIsStillWritten) {
  std::string summary;
  AppendScalarValue("a", 0.0f, {}, summary);
  EXPECT_EQ(summary, Golden("0a 08 0a 01 61 15 00 00 00 00"));
}

TEST(Summary, ScalarCarriesDisplayNameWithoutPluginData) {
  std::string summary;
  AppendScalarValue("a", 1.5f, {.display_name = "A"}, summary);
  EXPECT_EQ(summary, Golden("0a 0d 0a 01 61 15 00 00 c0 3f 4a 03 12 01 \"A\""));
}

TEST(Summary, MetadataValueHasNoMember) {
  std::string summary;
  AppendMetadataValue("_hparams_/session_end_info",
                      {.plugin_name = "hparams", .plugin_content = "\"\x02\x08\x01"}, summary);
  const std::vector<SummaryValue> values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].kind, ValueKind::kNone);
  EXPECT_EQ(values[0].metadata, Golden("0a 0f 0a 07 \"hparams\" 12 04 22 02 08 01"));
}

TEST(Summary, ValuesComeBackInOrder) {
  std::string summary;
  AppendScalarValue("loss", 0.25f, {}, summary);
  AppendTensorValue("text", "tensor bytes", {.plugin_name = "text"}, summary);
  AppendImageValue("cat", {.height = 2, .width = 3, .colorspace = 4, .encoded = "png"}, {},
                   summary);
  AppendAudioValue("bell", {.sample_rate = 44100}, {}, summary);
  const std::vector<SummaryValue> values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].tag, "loss");
  EXPECT_EQ(values[0].kind, ValueKind::kSimpleValue);
  EXPECT_EQ(values[0].simple_value, 0.25f);
  EXPECT_THAT(values[0].metadata, IsEmpty());
  EXPECT_EQ(values[1].kind, ValueKind::kTensor);
  EXPECT_EQ(values[1].payload, "tensor bytes");
  EXPECT_EQ(values[2].kind, ValueKind::kImage);
  EXPECT_EQ(ParseImage(values[2].payload)->width, 3);
  EXPECT_EQ(ParseImage(values[2].payload)->encoded, "png");
  EXPECT_EQ(values[3].kind, ValueKind::kAudio);
  EXPECT_EQ(ParseAudio(values[3].payload)->sample_rate, 44100.0f);
}

TEST(Summary, ATagThatIsNotUtf8IsRepairedAndImageBytesAreNot) {
  std::string summary;
  AppendImageValue("caf\xe9", {.encoded = "\xff\xd8"}, {}, summary);
  const std::vector<SummaryValue> values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].tag, "caf\xEF\xBF\xBD");
  EXPECT_EQ(ParseImage(values[0].payload)->encoded, "\xff\xd8");
}

TEST(Summary, VisitsTheValuesBeforeDamage) {
  std::string summary;
  AppendScalarValue("good", 1.0f, {}, summary);
  summary += Golden("0a 7f 0a 01 62");
  std::vector<std::string> tags;
  EXPECT_THAT(
      ForEachValue(summary, [&](const SummaryValue& value) { tags.emplace_back(value.tag); }),
      FailsSaying(ErrorCode::kDataLoss, "Summary of 18 bytes is damaged"));
  EXPECT_THAT(tags, ElementsAre("good"));
}

TEST(Summary, TheLastMemberOfAValueCounts) {
  // An image, then a simple value.
  const std::string summary = Golden("0a 09 22 02 08 01 15 00 00 80 3f");
  const std::vector<SummaryValue> values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].kind, ValueKind::kSimpleValue);
  EXPECT_THAT(values[0].payload, IsEmpty());
}

TEST(Summary, AValueByItselfIsTheSameAsInASummary) {
  std::string summary;
  AppendImageValue("cat", {.height = 2, .width = 3, .encoded = "png"}, {.display_name = "A"},
                   summary);
  const std::string_view bytes = std::string_view(summary).substr(2);  // Without number and length.
  const std::vector<SummaryValue> values = ValuesOf(summary);
  const Result<SummaryValue> value = ParseSummaryValue(bytes);
  ASSERT_THAT(value, Succeeds());
  EXPECT_EQ(value->tag, values[0].tag);
  EXPECT_EQ(value->kind, values[0].kind);
  EXPECT_EQ(value->payload.data(), values[0].payload.data());
  EXPECT_EQ(value->payload, values[0].payload);
  EXPECT_EQ(value->metadata, values[0].metadata);
  EXPECT_THAT(ParseSummaryValue(bytes.substr(0, bytes.size() - 1)),
              FailsSaying(ErrorCode::kDataLoss, "Summary.Value of"));
}

TEST(SummaryMetadata, RoundTrips) {
  const std::string bytes = EncodeSummaryMetadata({.plugin_name = "scalars",
                                                   .plugin_content = std::string_view("\0\xff", 2),
                                                   .display_name = "Loss",
                                                   .description = "**per** step",
                                                   .data_class = DataClass::kScalar});
  const Result<SummaryMetadata> metadata = ParseSummaryMetadata(bytes);
  ASSERT_THAT(metadata, Succeeds());
  EXPECT_EQ(metadata->plugin_name, "scalars");
  EXPECT_EQ(metadata->plugin_content, std::string_view("\0\xff", 2));
  EXPECT_EQ(metadata->display_name, "Loss");
  EXPECT_EQ(metadata->description, "**per** step");
  EXPECT_EQ(metadata->data_class, DataClass::kScalar);
  EXPECT_TRUE(ParseSummaryMetadata("")->empty());
  EXPECT_THAT(ParseSummaryMetadata(Golden("0a 03 0a 05 41")), FailsWith(ErrorCode::kDataLoss));
}

TEST(Histogram, RoundTrips) {
  std::vector<double> limits;
  std::vector<double> counts;
  for (int i = 0; i < 1549; ++i) {
    limits.push_back(i * 0.5 - 300);
    counts.push_back(i % 7);
  }
  std::string summary;
  AppendHistogramValue("h",
                       {.min = -1,
                        .max = 2,
                        .num = 3,
                        .sum = 4,
                        .sum_squares = 5,
                        .bucket_limits = limits,
                        .bucket_counts = counts},
                       {}, summary);
  const std::vector<SummaryValue> values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 1u);
  ASSERT_EQ(values[0].kind, ValueKind::kHistogram);
  const Result<ParsedHistogram> histogram = ParseHistogram(values[0].payload);
  ASSERT_THAT(histogram, Succeeds());
  EXPECT_EQ(histogram->min, -1);
  EXPECT_EQ(histogram->max, 2);
  EXPECT_EQ(histogram->num, 3);
  EXPECT_EQ(histogram->sum, 4);
  EXPECT_EQ(histogram->sum_squares, 5);
  EXPECT_EQ(histogram->bucket_limits, limits);
  EXPECT_EQ(histogram->bucket_counts, counts);
}

TEST(Histogram, ReadsBucketsThatAreNotPacked) {
  const Result<ParsedHistogram> histogram =
      ParseHistogram(Golden("31 00 00 00 00 00 00 f0 3f 39 00 00 00 00 00 00 00 40"));
  ASSERT_THAT(histogram, Succeeds());
  EXPECT_THAT(histogram->bucket_limits, ElementsAre(1.0));
  EXPECT_THAT(histogram->bucket_counts, ElementsAre(2.0));
}

TEST(Histogram, RefusesLimitsWithoutCounts) {
  EXPECT_THAT(ParseHistogram(Golden("32 08 00 00 00 00 00 00 f0 3f")),
              FailsSaying(ErrorCode::kDataLoss, "1 bucket limits but 0 bucket counts"));
}

TEST(Histogram, RefusesHalfADouble) {
  EXPECT_THAT(ParseHistogram(Golden("32 04 00 00 00 00")),
              FailsSaying(ErrorCode::kDataLoss, "not a multiple"));
}

TEST(Audio, RoundTrips) {
  std::string summary;
  AppendAudioValue("a",
                   {.sample_rate = 22050.5f,
                    .num_channels = 2,
                    .length_frames = std::int64_t{1} << 40,
                    .encoded = "RIFF",
                    .content_type = "audio/wav"},
                   {}, summary);
  const Result<Audio> audio = ParseAudio(ValuesOf(summary).at(0).payload);
  ASSERT_THAT(audio, Succeeds());
  EXPECT_EQ(audio->sample_rate, 22050.5f);
  EXPECT_EQ(audio->num_channels, 2);
  EXPECT_EQ(audio->length_frames, std::int64_t{1} << 40);
  EXPECT_EQ(audio->encoded, "RIFF");
  EXPECT_EQ(audio->content_type, "audio/wav");
  EXPECT_THAT(ParseAudio(Golden("0d 00")), FailsWith(ErrorCode::kDataLoss));
  EXPECT_THAT(ParseImage(Golden("22 09")), FailsWith(ErrorCode::kDataLoss));
}

}  // namespace
}  // namespace cboard::proto
