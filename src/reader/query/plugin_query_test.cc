#include "cboard/reader/plugin_query.h"

#include <gmock/gmock.h>

#include <cstring>

#include "cboard/reader/run_query.h"
#include "reader/testing/value_builder.h"
#include "testing/matchers.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::StringTensorBytes;
using ::cboard::testing::TensorBytes;
using ::testing::ElementsAre;

TEST(ParsePrCurveValue, CutsTheEndAtWhichNothingIsPositive) {
  const std::vector<float> rows = {4, 2, 0,     1,    1,     0, 0, 2,   3,
                                   0, 2, 4.75f, 0.8f, 0.66f, 0, 1, .5f, 0};
  const auto curve = ParsePrCurveValue(TensorBytes(proto::EncodeFloatTensor({{6, 3}}, rows)));
  ASSERT_TRUE(curve) << curve.error().message;
  EXPECT_THAT(curve->true_positives, ElementsAre(4, 2));
  EXPECT_THAT(curve->false_negatives, ElementsAre(0, 2));
  EXPECT_THAT(curve->recall, ElementsAre(1, 0.5));
  EXPECT_THAT(curve->thresholds, ElementsAre(0, 0.5));
}

TEST(ParsePrCurveValue, SaysWhatIsWrong) {
  EXPECT_THAT(ParsePrCurveValue(TensorBytes(proto::EncodeFloatTensor({{5, 1}}, {{1, 2, 3, 4, 5}}))),
              FailsSaying(ErrorCode::kDataLoss, "[6, thresholds]"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(
      ParsePrCurveValue(TensorBytes(proto::EncodeFloatTensor({{6, 1}}, {{1, nan, 3, 4, 5, 6}}))),
      FailsSaying(ErrorCode::kDataLoss, "false positives"));
}

TEST(ParseMeshValue, GivesOneSampleInTheTypeOfItsContent) {
  const std::string value =
      TensorBytes(proto::EncodeFloatTensor({{2, 1, 3}}, {{1, 2, 3, 4.5f, 255, 256}}));
  const auto faces = ParseMeshValue(value, proto::MeshContent::kFace, 1);
  std::int32_t numbers[3];
  ASSERT_EQ(faces->size(), sizeof(numbers));
  std::memcpy(numbers, faces->data(), sizeof(numbers));
  EXPECT_THAT(numbers, ElementsAre(4, 255, 256));
  EXPECT_EQ(*ParseMeshValue(value, proto::MeshContent::kColor, 0), std::string("\1\2\3"));
  EXPECT_EQ(*ParseMeshValue(value, proto::MeshContent::kColor, 1), std::string("\4\xff\0", 3));
  EXPECT_EQ(ParseMeshValue(value, proto::MeshContent::kVertex, 0)->size(), 12u);
  EXPECT_THAT(ParseMeshValue(value, proto::MeshContent::kVertex, 2),
              FailsWith(ErrorCode::kNotFound));
}

TEST(MergeLayouts, JoinsCategoriesOfOneTitle) {
  const proto::LayoutChart loss = {.title = "loss", .multiline_tags = {"loss"}};
  const proto::LayoutChart band = {.title = "band", .margins = {{"v", "l", "u"}}};
  const std::vector<std::vector<proto::LayoutCategory>> layouts = {
      {{.title = "a", .charts = {loss}}},
      {{.title = "b", .charts = {band}, .closed = true}, {.title = "a", .charts = {loss, band}}},
      {{.title = "b", .charts = {loss}}}};
  EXPECT_THAT(MergeLayouts(layouts), ElementsAre(proto::LayoutCategory{"a", {loss, band}},
                                                 proto::LayoutCategory{"b", {band, loss}, true}));
}

TEST(ParseLayoutValue, WantsOneString) {
  const std::vector<proto::LayoutCategory> layout = {{.title = "a"}};
  const std::string bytes = proto::EncodeLayout(layout);
  EXPECT_EQ(*ParseLayoutValue(StringTensorBytes({}, {bytes})), layout);
  EXPECT_THAT(ParseLayoutValue(StringTensorBytes({2}, {bytes, bytes})),
              FailsSaying(ErrorCode::kDataLoss, "2 strings"));
}

TEST(TextPattern, SearchesAndMatchesAsPythonDoes) {
  const auto pattern = TextPattern::Compile("une_\\d+");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->FoundIn("eval/tune_12"));
  EXPECT_FALSE(pattern->MatchesStartOf("tune_12"));
  EXPECT_TRUE(TextPattern::Compile("tune")->MatchesStartOf("tune_12"));
  EXPECT_THAT(TextPattern::Compile("a("), FailsSaying(ErrorCode::kInvalidArgument, "'a('"));
  EXPECT_THAT(TextPattern::Compile(std::string(5000, 'a')),
              FailsSaying(ErrorCode::kInvalidArgument, "the maximum is 4096"));
}

}  // namespace
}  // namespace cboard::reader
