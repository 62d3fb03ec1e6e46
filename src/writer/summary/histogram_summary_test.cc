#include "writer/summary/histogram_summary.h"

#include <limits>

#include "testing/matchers.h"
#include "writer/testing/golden.h"

namespace cboard::writer::summary {
namespace {

using testing::FailsSaying;
using testing::Succeeds;

tensor::HistogramData TwoBuckets() {
  return {.min = -1,
          .max = 2,
          .num = 3,
          .sum = 1.5,
          .sum_squares = 4.25,
          .bucket_limits = {0, 2},
          .bucket_counts = {1, 2}};
}

TEST(HistogramSummary, HasTheBytesOfTensorboardX) {
  EXPECT_EQ(
      MakeHistogramSummary("h", TwoBuckets()).value(),
      FromHex("0a56 0a01 68 2a51 09 000000000000f0bf 11 0000000000000040 19 0000000000000840"
              "21 000000000000f83f 29 0000000000001140"
              "3210 0000000000000000 0000000000000040 3a10 000000000000f03f 0000000000000040"));
}

TEST(HistogramSummary, ReadsBackAsItWasGiven) {
  const std::string summary = MakeHistogramSummary("a b", TwoBuckets()).value();
  const auto values = ValuesOf(summary);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].tag, "a b");
  const auto histogram = proto::ParseHistogram(values[0].payload).value();
  EXPECT_EQ(histogram.sum_squares, 4.25);
  EXPECT_EQ(histogram.bucket_limits, (std::vector<double>{0, 2}));
  EXPECT_EQ(histogram.bucket_counts, (std::vector<double>{1, 2}));
}

TEST(HistogramSummary, MayEndAtInfinityAndBeEmpty) {
  tensor::HistogramData histogram = TwoBuckets();
  histogram.bucket_limits[1] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(MakeHistogramSummary("h", histogram), Succeeds());
  EXPECT_THAT(MakeHistogramSummary("h", {}), Succeeds());
}

TEST(HistogramSummary, RefusesBucketsThatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  tensor::HistogramData histogram = TwoBuckets();
  histogram.bucket_counts.pop_back();
  EXPECT_THAT(MakeHistogramSummary("h", histogram),
              FailsSaying(ErrorCode::kInvalidArgument,
                          "histogram 'h': there are 2 bucket limits but 1 bucket counts"));
  histogram = TwoBuckets();
  histogram.bucket_limits[1] = -1;
  EXPECT_THAT(MakeHistogramSummary("h", histogram),
              FailsSaying(ErrorCode::kInvalidArgument, "bucket limit 1 is -1, less than"));
  histogram.bucket_limits[1] = nan;
  EXPECT_THAT(MakeHistogramSummary("h", histogram),
              FailsSaying(ErrorCode::kInvalidArgument, "bucket limit 1 is NaN"));
  for (const double count : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    histogram = TwoBuckets();
    histogram.bucket_counts[0] = count;
    EXPECT_THAT(MakeHistogramSummary("h", histogram),
                FailsSaying(ErrorCode::kInvalidArgument, "bucket count 0 is "));
  }
}

}  // namespace
}  // namespace cboard::writer::summary
