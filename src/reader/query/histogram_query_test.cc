#include "cboard/reader/histogram_query.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "reader/testing/value_builder.h"
#include "testing/matchers.h"

namespace cboard::reader {
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

TEST(ParseHistogramValue, GivesTheBinsBetweenTheLimitsFromTheLeastToTheGreatestValue) {
  // As tensorboardX writes it: an empty bin in front, whose limit is the first real edge.
  const auto data = ParseHistogramValue(Bytes(0.5, 2.5, 7, {0, 1, 2, 3}, {0, 4, 0, 3}));
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_THAT(data->bins,
              ElementsAre(HistogramBin{0.5, 1, 4}, HistogramBin{1, 2, 0}, HistogramBin{2, 2.5, 3}));
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

TEST(ParseHistogramValue, DropsTheEmptyBinsOfTensorFlowUpToTheEndOfTheNumberRange) {
  const auto data = ParseHistogramValue(Bytes(1, 2, 5, {-kMax, 0.5, 2.5, kMax}, {0, 0, 5, 0}));
  EXPECT_THAT(data->bins, ElementsAre(HistogramBin{1, 2, 5}));
  EXPECT_THAT(Distribution(data->bins).back(), 2);
}

TEST(ParseHistogramValue, ShowsEqualValuesAsOneValue) {
  const auto data = ParseHistogramValue(Bytes(3, 3, 9, {2.9, 3.2}, {0, 9}));
  EXPECT_THAT(data->bins, ElementsAre(HistogramBin{3, 3, 9}));
}

TEST(ParseHistogramValue, IgnoresALeastAndGreatestValueThatFitNoBin) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double wrong : {nan, 100.0}) {
    const auto data = ParseHistogramValue(Bytes(wrong, -wrong, 3, {0, 1, 2}, {0, 1, 2}));
    EXPECT_THAT(data->bins, ElementsAre(HistogramBin{0, 1, 1}, HistogramBin{1, 2, 2}));
  }
}

TEST(ParseHistogramValue, PutsWhatIsInfiniteOnOneSideAtTheFiniteEdge) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto data = ParseHistogramValue(TensorBytes(
      proto::EncodeDoubleTensor({{4, 3}}, {{-inf, -1, 2, -1, 1, 5, 1, inf, 3, -inf, inf, 4}})));
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_THAT(data->bins,
              ElementsAre(HistogramBin{-1, -1, 2}, HistogramBin{-1, 1, 5}, HistogramBin{1, 1, 3}));
  EXPECT_EQ(data->unplaced, 4);
  EXPECT_EQ(data->count, 14);
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
              FailsSaying(ErrorCode::kDataLoss,
                          "limit 1 of a logged histogram is 0, but the limit before it is 1"));
  EXPECT_THAT(ParseHistogramValue(TensorBytes(proto::EncodeFloatTensor({{3}}, {{1, 2, 3}}))),
              FailsSaying(ErrorCode::kDataLoss, "must have the shape [bins, 3]"));
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

TEST(SharedEdges, AreEquallyWideWhateverTheBins) {
  const auto same = {DataOf({{0, 1, 5}, {1, 4, 1}}), DataOf({{0, 1, 0}, {1, 4, 2}})};
  EXPECT_THAT(SharedEdges(std::vector(same), 4), ElementsAre(0, 1, 2, 3, 4));
  const auto other = {DataOf({{0, 1, 5}}), DataOf({{-2, 2, 1}, {2, 100, 0}})};
  EXPECT_THAT(SharedEdges(std::vector(other), 4), ElementsAre(-2, -1, 0, 1, 2));
  const auto single = {DataOf({{5, 5, 5}})};
  EXPECT_THAT(SharedEdges(std::vector(single), 2), ElementsAre(4.5, 5, 5.5));
  EXPECT_THAT(SharedEdges(std::vector({DataOf({{0, 0, 5}})}), 1), ElementsAre(-0.5, 0.5));
  EXPECT_THAT(SharedEdges(std::vector({DataOf({})}), 2), IsEmpty());
  const auto widest = {DataOf({{-kMax, kMax, 1}, {kMax, kMax, 1}})};
  EXPECT_THAT(SharedEdges(std::vector(widest), 2), ElementsAre(-kMax, 0, kMax));
  const auto greatest = {DataOf({{kMax, kMax, 1}})};
  EXPECT_TRUE(std::isfinite(SharedEdges(std::vector(greatest), 2).back()));
}

TEST(BarCount, GrowsWithTheValuesAndIsOdd) {
  const auto bars = [](double count) {
    const LoggedHistogram histogram{.count = count};
    return BarCount({&histogram, 1});
  };
  EXPECT_EQ(bars(0), kMinBars);
  EXPECT_EQ(bars(30000), 63u);
  EXPECT_EQ(bars(1e30), kMaxBars);
  EXPECT_EQ(BarCount({}), kMinBars);
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

// Binnings as writers choose them, each with random counts.
std::vector<double> RandomLimits(std::mt19937_64& random) {
  const auto uniform = [&] { return static_cast<double>(random() % 100001) / 1e5; };
  std::vector<double> limits;
  switch (random() % 6) {
    case 0: {  // Exponential around 0, as tensorboardX, PyTorch and TensorFlow 1 have them.
      std::vector<double> sizes;
      for (double size = 1e-12; size < 1e3; size *= 1.1) sizes.push_back(size);
      for (std::size_t i = sizes.size(); i-- > 0;) limits.push_back(-sizes[i]);
      limits.push_back(0);
      limits.insert(limits.end(), sizes.begin(), sizes.end());
      break;
    }
    case 1:  // Equally wide.
      for (int i = 0; i <= 30; ++i) limits.push_back(-2 + 0.2 * i);
      break;
    case 2:  // One bucket.
      limits = {uniform() - 0.5, uniform() + 0.5};
      break;
    case 3:  // Buckets of no width among others.
      for (int i = 0; i < 20; ++i) limits.push_back(static_cast<double>(random() % 11) - 5);
      break;
    case 4:  // A comb: a narrow bucket around each code of 8 bits, wide empty ones between them.
      for (int code = -128; code < 128; ++code) {
        limits.push_back(code * 0.05 - 1e-9);
        limits.push_back(code * 0.05 + 1e-9);
      }
      break;
    default:  // TensorFlow's ends.
      limits = {-kMax, -1e20, -1, 0, uniform(), 2, 1e20, kMax};
  }
  std::ranges::sort(limits);
  return limits;
}

// The values up to `x`, each bin spread evenly: what an area chart of the bins as logged shows.
double CountUpTo(double x, const std::vector<HistogramBin>& bins) {
  double sum = 0;
  for (const HistogramBin& bin : bins) {
    const double share = bin.right <= x ? 1
                         : bin.left >= x
                             ? 0
                             : (x * 0.5 - bin.left * 0.5) / (bin.right * 0.5 - bin.left * 0.5);
    sum += share * bin.count;
  }
  return sum;
}

TEST(Rebin, DrawsAnAreaOverEveryIntervalThatIsTheLoggedCount) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    const std::vector<double> limits = RandomLimits(random);
    std::vector<double> counts(limits.size());
    double total = 0;
    for (double& count : counts) {
      count = random() % 3 == 0 ? static_cast<double>(random() % 1000) : 0;
      total += count;
    }
    // Least and greatest value inside of the outermost bins that hold anything.
    const auto filled = [](double count) { return count > 0; };
    const auto first = std::ranges::find_if(counts, filled) - counts.begin();
    std::size_t last = counts.size();
    while (last > 0 && !filled(counts[last - 1])) --last;
    const double min = total == 0 ? 0 : std::max(-3e20, limits[static_cast<std::size_t>(first)]);
    const double max = total == 0 ? 0 : std::min(3e20, limits[last - 1]);
    const auto data = ParseHistogramValue(Bytes(min, max, total + 0.5, limits, counts));
    ASSERT_TRUE(data) << data.error().message;
    const auto edges = SharedEdges({&*data, 1}, BarCount({&*data, 1}));
    if (total == 0) {
      ASSERT_THAT(edges, IsEmpty());
      continue;
    }
    const auto bars = Rebin(data->bins, edges);
    ASSERT_NEAR(bars.below + bars.above, 0, 1e-9 * total);
    double drawn = 0;
    for (std::size_t i = 0; i < bars.counts.size(); ++i) {
      if (i > 0) {
        ASSERT_NEAR(edges[i + 1] - edges[i], edges[1] - edges[0], 1e-6 * (edges[1] - edges[0]));
      }
      drawn += bars.counts[i];
      ASSERT_NEAR(drawn, CountUpTo(edges[i + 1], data->bins), 1e-6 * total) << "round " << round;
    }
    ASSERT_NEAR(drawn + data->unplaced, total, 1e-9 * total) << "every value is drawn";
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
}  // namespace cboard::reader
