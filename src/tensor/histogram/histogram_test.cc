#include "cboard/tensor/histogram.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cboard/tensor/convert.h"
#include "tensor/testing/test_data.h"
#include "testing/matchers.h"
#include "testing/special_values.h"

namespace cboard::tensor {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::kInfinity;
using ::cboard::testing::kNan;
using ::testing::ElementsAre;

std::vector<double> UpTo(int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

double Total(const HistogramData& histogram) {
  return std::accumulate(histogram.bucket_counts.begin(), histogram.bucket_counts.end(), 0.0);
}

TEST(Histogram, ThinsTheBinsOfTensorboardxItsOwnExamples) {
  for (const char* name : {"auto", "fd", "doane"}) {
    const HistogramData histogram =
        ComputeHistogram(UpTo(1024), BinEstimatorOf(name).value(), 5).value();
    EXPECT_THAT(histogram.bucket_limits, ElementsAre(0, 186, 372, 558, 744, 930, 1023)) << name;
    EXPECT_THAT(histogram.bucket_counts, ElementsAre(0, 186, 186, 186, 186, 186, 94)) << name;
    EXPECT_EQ(histogram.min, 0);
    EXPECT_EQ(histogram.max, 1023);
    EXPECT_EQ(histogram.num, 1024);
    EXPECT_EQ(histogram.sum, 523776);
    EXPECT_EQ(histogram.sum_squares, 357389824);
  }
}

// Expected numbers of bins are those of numpy 2.2 for numpy.arange(1000.) ** 2.
TEST(Histogram, TakesAsManyBinsAsNumpyEstimates) {
  std::vector<double> squares = UpTo(1000);
  for (double& value : squares) value *= value;
  const std::vector<std::pair<const char*, std::size_t>> expected = {
      {"auto", 11},  {"fd", 10},   {"doane", 15},   {"scott", 10},
      {"stone", 94}, {"rice", 20}, {"sturges", 11}, {"sqrt", 32}};
  for (const auto& [name, bins] : expected) {
    const HistogramData histogram = ComputeHistogram(squares, BinEstimatorOf(name).value()).value();
    EXPECT_EQ(histogram.bucket_counts.size(), bins + 1) << name;
    EXPECT_EQ(Total(histogram), 1000) << name;
  }
}

TEST(Histogram, KnowsNoOtherEstimators) {
  EXPECT_THAT(BinEstimatorOf("tensorflow"),
              FailsSaying(ErrorCode::kInvalidArgument, "'tensorflow' is not a bin estimator"));
}

TEST(Histogram, ClosesTheLastBinOnly) {
  const std::vector<double> edges = {0, 1, 2};
  const HistogramData histogram =
      ComputeHistogram({-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5}, BinEdges{edges}).value();
  EXPECT_THAT(histogram.bucket_limits, ElementsAre(0, 1, 2));
  EXPECT_THAT(histogram.bucket_counts, ElementsAre(0, 2, 3));
  EXPECT_EQ(histogram.num, 7);
  EXPECT_EQ(histogram.min, -0.5);
}

TEST(Histogram, TakesRepeatedAndInfiniteEdges) {
  const std::vector<double> repeated = {0, 1, 1};
  EXPECT_THAT(ComputeHistogram({0.0, 1.0, 1.0}, BinEdges{repeated})->bucket_counts,
              ElementsAre(0, 1, 2));
  const std::vector<double> infinite = {-kInfinity, 0, kInfinity};
  EXPECT_THAT(
      ComputeHistogram({-kInfinity, -1.0, 1.0, kInfinity, kNan}, BinEdges{infinite})->bucket_counts,
      ElementsAre(0, 2, 2));
}

TEST(Histogram, RefusesEdgesOutOfOrder) {
  const std::vector<double> one = {0}, unsorted = {0, 2, 1}, unordered = {0, kNan, 1};
  EXPECT_THAT(ComputeHistogram({1.0}, BinEdges{one}),
              FailsSaying(ErrorCode::kInvalidArgument, "1 bin edges are given"));
  EXPECT_THAT(ComputeHistogram({1.0}, BinEdges{unsorted}),
              FailsSaying(ErrorCode::kInvalidArgument, "bin edge 1 is 2 and the next one is 1"));
  EXPECT_THAT(ComputeHistogram({1.0}, BinEdges{unordered}),
              FailsSaying(ErrorCode::kInvalidArgument, "in ascending order"));
}

TEST(Histogram, TrimsEmptyBinsButOneOnTheLeft) {
  const std::vector<double> edges = {0, 1, 2, 3, 4, 5, 6};
  const HistogramData histogram = ComputeHistogram({2.5, 4.5}, BinEdges{edges}).value();
  EXPECT_THAT(histogram.bucket_limits, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(histogram.bucket_counts, ElementsAre(0, 1, 0, 1));
}

TEST(Histogram, ThinsToAtLeastTheLimitWhenThereIsARemainder) {
  EXPECT_THAT(ComputeHistogram(UpTo(12), EqualBins{11}, 5)->bucket_counts,
              ElementsAre(0, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(ComputeHistogram(UpTo(12), EqualBins{4}, 4)->bucket_counts,
              ElementsAre(0, 3, 3, 3, 3));
}

TEST(Histogram, WidensTheRangeOfASingleValue) {
  const HistogramData histogram = ComputeHistogram({3, 3, 3}, EqualBins{2}).value();
  EXPECT_THAT(histogram.bucket_limits, ElementsAre(3, 3.5));
  EXPECT_THAT(histogram.bucket_counts, ElementsAre(0, 3));
  for (const char* name : {"auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"}) {
    const HistogramData single = ComputeHistogram({3.0}, BinEstimatorOf(name).value()).value();
    EXPECT_THAT(single.bucket_limits, ElementsAre(2.5, 3.5)) << name;
  }
}

TEST(Histogram, PutsEachValueBetweenTheEdgesOfItsEqualBin) {
  for (const std::size_t bins : {1u, 3u, 7u, 10u, 100u, 1000u}) {
    const std::vector<float> values = testing::Normal<float>(20'000, 9, 1, 0.3);
    const HistogramData equal = ComputeHistogram(values, EqualBins{bins}).value();
    ASSERT_EQ(equal.bucket_limits.size(), bins + 1);
    // Values that are equal to edges would reveal rounding errors.
    const HistogramData on_edges = ComputeHistogram(equal.bucket_limits, EqualBins{bins}).value();
    EXPECT_EQ(Total(on_edges), static_cast<double>(bins + 1));
    EXPECT_EQ(on_edges.bucket_counts.back(), 2);
    const HistogramData searched = ComputeHistogram(values, BinEdges{equal.bucket_limits}).value();
    EXPECT_EQ(equal.bucket_counts, searched.bucket_counts);
  }
}

TEST(Histogram, SumsAsNumpyDoesWithNanAndInfinity) {
  const HistogramData with_nan = ComputeHistogram({1.0, kNan, kInfinity}).value();
  EXPECT_EQ(with_nan.num, 3);
  EXPECT_EQ(Total(with_nan), 1);
  for (const double value : {with_nan.min, with_nan.max, with_nan.sum, with_nan.sum_squares}) {
    EXPECT_TRUE(std::isnan(value));
  }
  const HistogramData with_infinity = ComputeHistogram({1.0, -kInfinity}).value();
  EXPECT_EQ(with_infinity.min, -kInfinity);
  EXPECT_EQ(with_infinity.max, 1);
  EXPECT_EQ(with_infinity.sum, -kInfinity);
  EXPECT_EQ(with_infinity.sum_squares, kInfinity);
  const HistogramData with_both = ComputeHistogram({kInfinity, 0.0, -kInfinity}).value();
  EXPECT_TRUE(std::isnan(with_both.sum));
  EXPECT_EQ(with_both.max, kInfinity);
}

TEST(Histogram, NeedsAValueInSomeBin) {
  EXPECT_THAT(ComputeHistogram(std::vector<float>()),
              FailsSaying(ErrorCode::kInvalidArgument, "the tensor is empty"));
  EXPECT_THAT(ComputeHistogram({kNan, kInfinity, 1e20}),
              FailsSaying(ErrorCode::kInvalidArgument, "none of 3 values is between"));
}

TEST(Histogram, NeedsFiniteValuesToFindARange) {
  EXPECT_THAT(ComputeHistogram({1.0, kNan}, EqualBins{3}),
              FailsSaying(ErrorCode::kInvalidArgument, "1 of 2 values are NaN or infinite"));
  EXPECT_THAT(ComputeHistogram({1.0, kInfinity}, BinEstimator::kAuto),
              FailsWith(ErrorCode::kInvalidArgument));
}

TEST(Histogram, RefusesMoreBinsThanThereCanBe) {
  EXPECT_THAT(ComputeHistogram({1.0}, EqualBins{0}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ComputeHistogram({1.0}, EqualBins{std::size_t{1} << 40}),
              FailsSaying(ErrorCode::kInvalidArgument, "1 to 16777216"));
  EXPECT_THAT(ComputeHistogram({1.0, std::nextafter(1.0, 2.0)}, EqualBins{2}),
              FailsSaying(ErrorCode::kInvalidArgument, "too close together for 2 bins"));
  EXPECT_THAT(ComputeHistogram({-1e308, 1e308}, EqualBins{2}),
              FailsWith(ErrorCode::kInvalidArgument));
  std::vector<double> outlier = UpTo(1000);
  outlier.push_back(1e15);
  EXPECT_THAT(ComputeHistogram(outlier, BinEstimator::kFd),
              FailsSaying(ErrorCode::kInvalidArgument, "a few values are far from the others"));
}

TEST(Histogram, TakesEveryDtypeInEveryBinning) {
  const std::vector<std::uint16_t> halfs = {0x3C00, 0x4000, 0x4200};  // 1, 2, 3
  const std::vector<double> edges = {1, 2, 3};
  for (const Binning& binning :
       {Binning(EqualBins{2}), Binning(BinEdges{edges}), Binning(BinEstimator::kSqrt)}) {
    EXPECT_THAT(ComputeHistogram({DType::kFloat16, halfs.data(), {3}}, binning)->bucket_counts,
                ElementsAre(0, 1, 2));
    EXPECT_THAT(ComputeHistogram(std::vector<std::int64_t>{1, 2, 3}, binning)->bucket_counts,
                ElementsAre(0, 1, 2));
    EXPECT_THAT(ComputeHistogram(std::vector<std::uint8_t>{1, 2, 3}, binning)->bucket_counts,
                ElementsAre(0, 1, 2));
    const std::vector<std::int8_t> codes = {2, 4, 6};
    const std::vector<float> scale = {0.5f};
    TensorView quantized(codes);
    quantized.quantization = Quantization::PerTensor(scale);
    EXPECT_THAT(ComputeHistogram(quantized, binning)->bucket_counts, ElementsAre(0, 1, 2));
  }
}

TEST(Histogram, RefusesAnInvalidTensor) {
  EXPECT_THAT(ComputeHistogram({DType::kFloat32, nullptr, {2}}),
              FailsSaying(ErrorCode::kInvalidArgument, "the data pointer is null"));
}

}  // namespace
}  // namespace cboard::tensor
