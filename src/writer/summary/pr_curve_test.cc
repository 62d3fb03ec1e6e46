#include "writer/summary/pr_curve.h"

#include <algorithm>
#include <limits>

#include "cboard/proto/tensor.h"
#include "testing/matchers.h"
#include "writer/testing/golden.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using Floats = std::vector<float>;

const std::vector<std::int64_t> kLabels = {0, 1, 1, 0};
const Floats kPredictions = {.1f, .9f, .6f, .6f};

TEST(PrCurveSummary, HasTheBytesOfTensorboardX) {
  EXPECT_EQ(MakePrCurveSummary("pr", kLabels, kPredictions, 5).value(),
            FromHex("0aa001 0a027072 428601 0801 1208 12020806 12020805 2a78"
                    "0000004000000040000000400000803f00000000"
                    "000000400000803f0000803f0000000000000000"
                    "000000000000803f0000803f0000004000000040"
                    "0000000000000000000000000000803f00000040"
                    "0000003fabaa2a3fabaa2a3f0000803f00000000"
                    "0000803f0000803f0000803f0000003f00000000"
                    "4a11 0a0f 0a0970725f637572766573 1202 1005"));
}

TEST(PrCurve, CountsWithWeights) {
  const std::vector<double> weights = {1, 2, 3, 4};
  const TensorView view(weights);
  const auto rows = ComputePrCurve(kLabels, kPredictions, 2, &view).value();
  EXPECT_EQ(rows.true_positives, (Floats{5, 0}));
  EXPECT_EQ(rows.false_positives, (Floats{5, 0}));
  EXPECT_EQ(rows.false_negatives, (Floats{0, 5}));

  const std::vector<double> one = {2};
  const TensorView for_all(one);
  EXPECT_EQ(ComputePrCurve(kLabels, kPredictions, 2, &for_all).value().true_positives,
            (Floats{4, 0}));
}

// Returns the last of 127 thresholds that counts the only prediction.
std::size_t BucketOf(const TensorView& prediction) {
  const auto rows = ComputePrCurve(Floats{1}, prediction, 127).value();
  const auto counted = std::ranges::count(rows.true_positives, 1.f);
  return static_cast<std::size_t>(counted) - 1;
}

// Values for which numpy gives another bucket in the narrow type than in double precision.
TEST(PrCurve, RoundsTheProductToTheTypeOfThePredictions) {
  const std::vector<float> narrow = {0.738095223903656f};
  EXPECT_EQ(BucketOf(narrow), 93u);
  const std::vector<double> wide = {0.738095223903656};
  EXPECT_EQ(BucketOf(wide), 92u);
  for (const auto& [bits, bucket] : {std::pair<std::uint16_t, std::size_t>{0x2f9e, 15},
                                     {0x3010, 16},
                                     {0x339e, 30},
                                     {0x33df, 31},
                                     {0x3410, 32},
                                     {0x3c00, 126},
                                     {0x0001, 0}}) {
    EXPECT_EQ(BucketOf(TensorView(DType::kFloat16, &bits, {1})), bucket) << bits;
  }
}

TEST(PrCurve, EndsAreCountedInTheFirstAndTheLastBucket) {
  EXPECT_EQ(BucketOf(std::vector<float>{0}), 0u);
  EXPECT_EQ(BucketOf(std::vector<float>{1}), 126u);
  EXPECT_EQ(BucketOf(std::vector<std::uint8_t>{1}), 126u);
}

TEST(PrCurve, TakesAtMost127Thresholds) {
  EXPECT_EQ(ComputePrCurve(kLabels, kPredictions, 1000).value().recall.size(), 127u);
  EXPECT_EQ(ComputePrCurve(kLabels, kPredictions, 1).value().recall, Floats{1});
}

TEST(PrCurve, RefusesWhatIsNotAProbability) {
  for (const float bad : {-0.1f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    const Floats predictions = {.1f, .2f, bad, .4f};
    EXPECT_THAT(ComputePrCurve(kLabels, predictions, 5),
                FailsSaying(ErrorCode::kInvalidArgument, "prediction 2 is "));
  }
  const std::vector<std::int64_t> labels = {0, 2, 1, 0};
  EXPECT_THAT(
      ComputePrCurve(labels, kPredictions, 5),
      FailsSaying(ErrorCode::kInvalidArgument, "label 1 is 2, but must be between 0 and 1"));
  const std::vector<double> weights = {1, 1, 1, -1};
  const TensorView view(weights);
  EXPECT_THAT(ComputePrCurve(kLabels, kPredictions, 5, &view),
              FailsSaying(ErrorCode::kInvalidArgument, "weight 3 is -1"));
}

TEST(PrCurve, RefusesSizesThatDiffer) {
  EXPECT_THAT(MakePrCurveSummary("pr", std::vector<int>{1, 0, 1}, kPredictions, 5),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "PR curve 'pr': there are 3 labels but 4 predictions"));
  const std::vector<double> weights = {1, 2};
  const TensorView view(weights);
  EXPECT_THAT(ComputePrCurve(kLabels, kPredictions, 5, &view),
              FailsSaying(ErrorCode::kInvalidArgument, "there are 2 weights but 4 predictions"));
  EXPECT_THAT(ComputePrCurve(Floats{}, Floats{}, 5), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ComputePrCurve(kLabels, kPredictions, 0), FailsWith(ErrorCode::kInvalidArgument));
}

PrCurveRows FiveColumns() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  return {.true_positives = {75, 64, 21, 5, 0},
          .false_positives = {150, 105, 18, 0, 0},
          .true_negatives = {0, 45, 132, 150, 150},
          .false_negatives = {0, 11, 54, 70, 75},
          .precision = {1 / 3.f, .3786982f, .5384616f, 1, nan},
          .recall = {1, .8533334f, .28f, .0666667f, 0}};
}

TEST(PrCurveRawSummary, KeepsRowsAndThresholdsAsGiven) {
  const std::string summary = MakePrCurveRawSummary("pr", FiveColumns(), 127).value();
  const auto values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 1u);
  const auto tensor = proto::ParseTensor(values[0].payload).value();
  EXPECT_EQ(tensor.shape, (proto::Shape{6, 5}));
  EXPECT_EQ(proto::ReadNumbers(tensor).value()[5], 150);
  EXPECT_EQ(proto::ParseSummaryMetadata(values[0].metadata).value().plugin_content,
            FromHex("107f"));
}

TEST(PrCurveRawSummary, RefusesRowsThatDoNotFitTogether) {
  PrCurveRows rows = FiveColumns();
  rows.recall.pop_back();
  EXPECT_THAT(
      MakePrCurveRawSummary("pr", rows, 5),
      FailsSaying(ErrorCode::kInvalidArgument, "recall has 4 numbers, but true_positives has 5"));
  rows = FiveColumns();
  rows.false_positives[2] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(MakePrCurveRawSummary("pr", rows, 5),
              FailsSaying(ErrorCode::kInvalidArgument, "false_positives[2] is inf"));
  EXPECT_THAT(MakePrCurveRawSummary("pr", {}, 5),
              FailsSaying(ErrorCode::kInvalidArgument, "true_positives is empty"));
}

}  // namespace
}  // namespace cboard::writer::summary
