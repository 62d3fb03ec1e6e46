#include "cboard/reader/histogram_query.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "reader/query/value_builder.h"
#include "testing/matchers.h"

namespace cboard {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::HistogramBytes;
using ::cboard::testing::StringTensorBytes;
using ::cboard::testing::TensorBytes;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

constexpr double kMax = std::numeric_limits<double>::max();

std::string Bytes(double min, double max, double num, const std::vector<double>& limits,
                  const std::vector<double>& counts) {
  return HistogramBytes({min, max, num, 1.5, 2.5, limits, counts});
}

TEST(ParseHistogramValue, GivesTheBinsBetweenTheLimits) {
  // As tensorboardX writes it: an empty bin in front, whose limit is the first real edge.
  const auto data = ParseHistogramValue(Bytes(0.5, 2.5, 7, {0, 1, 2, 3}, {0, 4, 0, 3}));
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_THAT(data->bins,
              ElementsAre(HistogramBin{0, 1, 4}, HistogramBin{1, 2, 0}, HistogramBin{2, 3, 3}));
  EXPECT_EQ(data->count, 7);
  EXPECT_FALSE(data->left_edges);
  EXPECT_EQ(data->moments->sum, 1.5);
}

TEST(ParseHistogramValue, ReplacesOpenEndsByTheLeastAndGreatestValue) {
  // As TensorFlow writes it: the outermost limits are the ends of the number range.
  const auto data = ParseHistogramValue(Bytes(-3, 9, 3, {-kMax, 0, 5, kMax}, {0, 1, 1, 1}));
  EXPECT_THAT(data->bins,
              ElementsAre(HistogramBin{-3, 0, 1}, HistogramBin{0, 5, 1}, HistogramBin{5, 9, 1}));
  const auto first = ParseHistogramValue(Bytes(-3, 1, 2, {0, 1}, {1, 1}));
  EXPECT_THAT(first->bins, ElementsAre(HistogramBin{-3, 0, 1}, HistogramBin{0, 1, 1}));
}

TEST(ParseHistogramValue, RecognisesLeftEdges) {
  const auto data = ParseHistogramValue(Bytes(-1, 2, 3, {-1, 0, 1}, {10, 20, 30}));
  EXPECT_TRUE(data->left_edges);
  EXPECT_THAT(data->bins,
              ElementsAre(HistogramBin{-1, 0, 10}, HistogramBin{0, 1, 20}, HistogramBin{1, 2, 30}));
  EXPECT_EQ(data->count, 60) << "num says 3, the number of bins";
}

// As the toolkit really writes them: the greatest value is the last left edge.
TEST(ParseHistogramValue, GivesTheLastOfTheLeftEdgesAWidth) {
  const auto data = ParseHistogramValue(Bytes(0, 2, 3, {0, 1, 2}, {22751.6, 20, 1}));
  EXPECT_TRUE(data->left_edges);
  EXPECT_THAT(data->bins, ElementsAre(HistogramBin{0, 1, 22751.6}, HistogramBin{1, 2, 20},
                                      HistogramBin{2, 3, 1}));
  EXPECT_EQ(data->moments->max, 3);
}

TEST(ParseHistogramValue, KeepsRightEdgesOfAsManyValuesAsBins) {
  const auto data = ParseHistogramValue(Bytes(1, 3, 3, {1, 2, 3}, {1, 1, 1}));
  EXPECT_FALSE(data->left_edges);
  EXPECT_THAT(data->bins,
              ElementsAre(HistogramBin{1, 1, 1}, HistogramBin{1, 2, 1}, HistogramBin{2, 3, 1}));
}

TEST(ParseHistogramValue, ReadsTensorsOfEitherWidth) {
  const std::vector<std::int64_t> shape = {2, 3};
  const std::vector<double> rows = {0, 1, 5, 1, 2, 6};
  const std::vector<float> floats(rows.begin(), rows.end());
  for (const std::string& tensor :
       {proto::EncodeDoubleTensor(shape, rows), proto::EncodeFloatTensor(shape, floats)}) {
    const auto data = ParseHistogramValue(TensorBytes(tensor));
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_THAT(data->bins, ElementsAre(HistogramBin{0, 1, 5}, HistogramBin{1, 2, 6}));
    EXPECT_FALSE(data->moments);
  }
  const auto empty = ParseHistogramValue(TensorBytes(proto::EncodeFloatTensor({{0, 3}}, {})));
  ASSERT_TRUE(empty) << empty.error().message;
  EXPECT_THAT(empty->bins, IsEmpty());
}

TEST(ParseHistogramValue, SaysWhatIsWrong) {
  EXPECT_THAT(ParseHistogramValue(Bytes(0, 1, 1, {1, 0}, {1, 1})),
              FailsSaying(ErrorCode::kDataLoss, "limit 1 of a histogram is 0, after 1"));
  EXPECT_THAT(ParseHistogramValue(TensorBytes(proto::EncodeFloatTensor({{3}}, {{1, 2, 3}}))),
              FailsSaying(ErrorCode::kDataLoss, "expected the shape [bins, 3]"));
  EXPECT_THAT(ParseHistogramValue(StringTensorBytes({1, 3}, {"a", "b", "c"})),
              FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ParseHistogramValue("\x0a"), FailsWith(ErrorCode::kDataLoss));
  EXPECT_THAT(ParseHistogramValue(""), FailsSaying(ErrorCode::kDataLoss, "not a histogram"));
  EXPECT_THAT(ParseHistogramValue(
                  TensorBytes(proto::EncodeRawTensor(proto::DataType::kFloat, {{1 << 30, 3}}, ""))),
              FailsWith(ErrorCode::kResourceExhausted));
}

TEST(TensorBoardBins, AreTrimmedByOneLoaderAndNotByTheOther) {
  const std::string bytes = Bytes(0.25, 2.75, 7, {0, 1, 2, 3, 4}, {0, 4, 0, 3, 0});
  EXPECT_THAT(
      *TensorBoardBins(bytes, TensorBoardLoader::kPython),
      ElementsAre(HistogramBin{0.25, 1, 4}, HistogramBin{1, 2, 0}, HistogramBin{2, 2.75, 3}));
  EXPECT_THAT(*TensorBoardBins(bytes, TensorBoardLoader::kRust),
              ElementsAre(HistogramBin{0.25, 0, 0}, HistogramBin{0, 1, 4}, HistogramBin{1, 2, 0},
                          HistogramBin{2, 3, 3}, HistogramBin{3, 2.75, 0}));
  EXPECT_THAT(*TensorBoardBins(Bytes(0, 0, 0, {1, 2}, {0, 0}), TensorBoardLoader::kPython),
              IsEmpty());
}

TEST(Distribution, InterpolatesInsideBins) {
  const std::vector<HistogramBin> uniform = {{0, 1, 5}, {1, 2, 5}};
  EXPECT_THAT(Distribution(uniform), Pointwise(DoubleNear(1e-12), {0.0, .1336, .3174, .617, 1.0,
                                                                   1.383, 1.6826, 1.8664, 2.0}));
  EXPECT_THAT(Distribution({}), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(CumulativeShares, RiseFromNoneToAll) {
  const std::vector<HistogramBin> bins = {{0, 1, 1}, {2, 3, 3}};
  const auto points = CumulativeShares(bins);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].x, 0);
  EXPECT_EQ(points[1].share, 0.25);
  EXPECT_EQ(points[2].x, 2) << "nothing lies between 1 and 2";
  EXPECT_EQ(points[2].share, 0.25);
  EXPECT_EQ(points[3].share, 1);
  EXPECT_THAT(CumulativeShares(std::vector<HistogramBin>{{0, 1, 0}}), IsEmpty());
}

LoggedHistogram DataOf(std::vector<HistogramBin> bins) { return {.bins = std::move(bins)}; }

TEST(SharedEdges, AreTheCommonOnesOrEquallyWide) {
  const auto same = {DataOf({{0, 1, 5}, {1, 4, 1}}), DataOf({{0, 1, 0}, {1, 4, 2}})};
  EXPECT_THAT(SharedEdges(std::vector(same), 10), ElementsAre(0, 1, 4));
  const auto other = {DataOf({{0, 1, 5}}), DataOf({{-2, 2, 1}, {2, 100, 0}})};
  EXPECT_THAT(SharedEdges(std::vector(other), 4), ElementsAre(-2, -1, 0, 1, 2));
  const auto single = {DataOf({{3, 3, 5}})};
  EXPECT_THAT(SharedEdges(std::vector(single), 2), ElementsAre(2.5, 3, 3.5));
  EXPECT_THAT(SharedEdges(std::vector({DataOf({})}), 2), IsEmpty());
  const auto widest = {DataOf({{-kMax, kMax, 1}, {kMax, kMax, 1}})};
  EXPECT_THAT(SharedEdges(std::vector(widest), 2), ElementsAre(-kMax, 0, kMax));
}

TEST(Rebin, SpreadsBinsEvenlyOverTheNewOnes) {
  const std::vector<HistogramBin> bins = {{0, 4, 8}, {4, 5, 1}, {7, 7, 3}};
  const std::vector<double> edges = {1, 2, 4.5, 7};
  const auto rebinned = Rebin(bins, edges);
  EXPECT_THAT(rebinned.counts, Pointwise(DoubleNear(1e-12), {2.0, 4.5, 3.5}));
  EXPECT_DOUBLE_EQ(rebinned.below, 2);
  EXPECT_DOUBLE_EQ(rebinned.above, 0) << "(4.5, 7] ends with 7";
}

TEST(Rebin, LosesNoMassWhateverTheBinsAndEdges) {
  std::mt19937_64 random(5);
  const auto number = [&] { return static_cast<double>(random() % 2001) / 10 - 100; };
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> edges(2 + random() % 20);
    for (double& edge : edges) edge = number();
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<HistogramBin> bins(random() % 20);
    double total = 0;
    for (HistogramBin& bin : bins) {
      bin = {number(), number(), static_cast<double>(random() % 100)};
      if (random() % 10 == 0) bin.right = bin.left;
      if (random() % 10 == 0) bin.right = kMax;
      total += bin.count;
    }
    const auto rebinned = Rebin(bins, edges);
    const double sum = std::accumulate(rebinned.counts.begin(), rebinned.counts.end(),
                                       rebinned.below + rebinned.above);
    ASSERT_NEAR(sum, total, 1e-9 * (1 + total));
    for (const double count : rebinned.counts) ASSERT_GE(count, -1e-9);
  }
}

TEST(Rebin, IsTheIdentityOnTheSameEdges) {
  const std::vector<HistogramBin> bins = {{0, 0.1, 3}, {0.1, 0.3, 5}, {0.3, 7, 2}};
  EXPECT_THAT(Rebin(bins, std::vector<double>{0, 0.1, 0.3, 7}).counts,
              Pointwise(DoubleNear(1e-12), {3.0, 5.0, 2.0}));
}

TEST(SelectSteps, KeepsTheFirstAndTheLast) {
  EXPECT_THAT(SelectSteps(3, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(SelectSteps(101, 3), ElementsAre(0, 50, 100));
  EXPECT_THAT(SelectSteps(9, 1), ElementsAre(8));
  EXPECT_THAT(SelectSteps(1, 2), ElementsAre(0));
  EXPECT_THAT(SelectSteps(0, 2), IsEmpty());
}

}  // namespace
}  // namespace cboard
