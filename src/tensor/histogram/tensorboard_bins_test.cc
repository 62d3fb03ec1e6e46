// Compares TensorBoard's bins with a plain implementation of numpy's rule, which counts the values
// below each edge.
#include "tensor/histogram/tensorboard_bins.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cboard/tensor/convert.h"
#include "cboard/tensor/histogram.h"
#include "tensor/testing/test_data.h"
#include "testing/matchers.h"

namespace cboard::tensor {
namespace {

// numpy.histogram(values, TensorBoardBinEdges())[0].
std::vector<double> NumpyCounts(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::ranges::sort(values);
  std::vector<double> below;
  for (const double edge : TensorBoardBinEdges()) {
    below.push_back(static_cast<double>(std::ranges::lower_bound(values, edge) - values.begin()));
  }
  below.back() = static_cast<double>(
      std::ranges::upper_bound(values, TensorBoardBinEdges().back()) - values.begin());
  std::vector<double> counts(below.size() - 1);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = below[i + 1] - below[i];
  return counts;
}

// Reconstructs the counts of all 1548 bins from the trimmed histogram.
std::vector<double> AllCounts(const HistogramData& histogram) {
  const std::span<const double> edges = TensorBoardBinEdges();
  std::vector<double> counts(edges.size() - 1);
  EXPECT_EQ(histogram.bucket_counts.at(0), 0);
  for (std::size_t i = 1; i < histogram.bucket_counts.size(); ++i) {
    const auto right = std::ranges::find(edges, histogram.bucket_limits[i]) - edges.begin();
    EXPECT_EQ(histogram.bucket_limits[i - 1], edges[static_cast<std::size_t>(right) - 1]);
    counts.at(static_cast<std::size_t>(right) - 1) = histogram.bucket_counts[i];
  }
  return counts;
}

void ExpectNumpyCounts(const TensorView& view) {
  const HistogramData histogram = ComputeHistogram(view).value();
  EXPECT_EQ(AllCounts(histogram), NumpyCounts(ToDoubles(view).value()));
  EXPECT_EQ(histogram.num, static_cast<double>(view.element_count()));
}

TEST(TensorBoardBinEdges, AreTheOnesTensorBoardMultipliesOut) {
  const std::span<const double> edges = TensorBoardBinEdges();
  ASSERT_EQ(edges.size(), 1549u);
  EXPECT_EQ(edges.front(), -9.920775621859783e19);
  EXPECT_EQ(edges[774], 0);
  EXPECT_EQ(edges[775], 1e-12);
  EXPECT_EQ(edges[776], 1e-12 * 1.1);
  EXPECT_EQ(edges.back(), 9.920775621859783e19);
  EXPECT_TRUE(std::ranges::is_sorted(edges));
}

template <typename T>
class TensorBoardBinsOf : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TensorBoardBinsOf, Reals);

TYPED_TEST(TensorBoardBinsOf, DecideEachValueNearAnEdgeAsNumpyDoes) {
  for (const TypeParam value : testing::EdgeCaseValues<TypeParam>()) {
    std::array<std::uint64_t, kTensorBoardBins> counted{}, added{};
    TensorBoardCounter<TypeParam> counter(1, counted);
    counter.Add(std::span(&value, 1));
    counter.Finish();
    AddToTensorBoardBin(static_cast<double>(value), 1, added);
    const std::vector<double> numpy = NumpyCounts({static_cast<double>(value)});
    ASSERT_TRUE(std::ranges::equal(counted, numpy)) << value;
    ASSERT_TRUE(std::ranges::equal(added, numpy)) << value;
  }
}

TYPED_TEST(TensorBoardBinsOf, CountAllKindsOfValues) {
  ExpectNumpyCounts(testing::EdgeCaseValues<TypeParam>());
  ExpectNumpyCounts(testing::RandomPatterns<TypeParam>(300'001, 1));
  ExpectNumpyCounts(testing::LogUniform<TypeParam>(300'001, 2));
  ExpectNumpyCounts(testing::Normal<TypeParam>(100'003, 3));
  ExpectNumpyCounts(testing::Normal<TypeParam>(10'007, 4, 1e10, 1));
  ExpectNumpyCounts(std::vector<TypeParam>(70'000, TypeParam{0}));
  ExpectNumpyCounts(std::vector<TypeParam>(70'001, -TypeParam{0}));
}

TYPED_TEST(TensorBoardBinsOf, CountEveryLengthAndStart) {
  const std::vector<TypeParam> values = testing::LogUniform<TypeParam>(60, 5);
  for (std::size_t first = 0; first < 9; ++first) {
    for (std::size_t count = 1; count < 50; ++count) {
      const auto part = std::span<const TypeParam>(values).subspan(first, count);
      if (NumpyCounts({part.begin(), part.end()}) == std::vector<double>(kTensorBoardBins))
        continue;
      ExpectNumpyCounts(part);
    }
  }
}

TYPED_TEST(TensorBoardBinsOf, CountOnAfterCountsWereMoved) {
  // Tests emptying the counters, which happens before they overflow, and between tensors.
  const std::vector<TypeParam> values = testing::LogUniform<TypeParam>(1000, 6);
  std::array<std::uint64_t, kTensorBoardBins> counted{};
  for (const std::size_t expected_count : {10u, 1'000'000u, 10u}) {
    TensorBoardCounter<TypeParam> counter(expected_count, counted);
    counter.Add(values);
    counter.Finish();
    counter.Add(values);
    counter.Finish();
  }
  {
    TensorBoardCounter<TypeParam> abandoned(10, counted);
    abandoned.Add(values);
  }
  TensorBoardCounter<TypeParam>(10, counted).Finish();
  std::vector<double> expected = NumpyCounts({values.begin(), values.end()});
  for (double& count : expected) count *= 6;
  EXPECT_TRUE(std::ranges::equal(counted, expected));
}

TYPED_TEST(TensorBoardBinsOf, CountMoreValuesThanWereExpected) {
  const std::vector<TypeParam> values(200'000, TypeParam{3});  // All of them in one counter.
  std::array<std::uint64_t, kTensorBoardBins> counted{};
  TensorBoardCounter<TypeParam> counter(10, counted);
  counter.Add(values);
  counter.Finish();
  EXPECT_TRUE(std::ranges::equal(counted, NumpyCounts({values.begin(), values.end()})));
}

TYPED_TEST(TensorBoardBinsOf, DoNotNeedAlignment) {
  const std::vector<TypeParam> values = testing::LogUniform<TypeParam>(5000, 6);
  std::vector<char> bytes(1 + values.size() * sizeof(TypeParam));
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(TypeParam));
  ExpectNumpyCounts({DTypeOf<TypeParam>(), bytes.data() + 1, {5000}});
}

template <typename T>
class TensorBoardBinsOfIntegers : public ::testing::Test {};
using BinnedIntegers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                        std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(TensorBoardBinsOfIntegers, BinnedIntegers);

TYPED_TEST(TensorBoardBinsOfIntegers, CountAllMagnitudes) {
  std::mt19937_64 random(7);
  std::vector<TypeParam> values(20'001);
  for (TypeParam& value : values) {
    value = static_cast<TypeParam>(random());
    if constexpr (sizeof(TypeParam) > 2) {
      value = static_cast<TypeParam>(value >> (random() % (8 * sizeof(TypeParam))));
    }
  }
  ExpectNumpyCounts(values);
}

TYPED_TEST(TensorBoardBinsOfIntegers, CountDequantizedCodes) {
  for (const std::int64_t columns : {40, 9000}) {
    std::vector<TypeParam> codes(static_cast<std::size_t>(4 * columns));
    std::mt19937_64 random(8);
    for (TypeParam& code : codes) code = static_cast<TypeParam>(random() >> 20);
    const std::vector<float> scales = {0.1f, -1e-5f, 3.0f, 1e-20f};
    const std::vector<std::int32_t> zero_points = {3, -128, 0, 127};
    TensorView view(codes, {4, columns});
    view.quantization = Quantization::PerChannel(scales, zero_points, 0);
    ExpectNumpyCounts(view);
    view.quantization = Quantization::PerTensor(std::span(scales).first(1));
    ExpectNumpyCounts(view);
    view.shape = {columns, 4};
    view.quantization = Quantization::PerChannel(scales, zero_points, 1);
    ExpectNumpyCounts(view);
  }
}

TEST(TensorBoardBins, CountEverySixteenBitPattern) {
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kInt16, DType::kUint16}) {
    SCOPED_TRACE(NameOf(dtype));
    ExpectNumpyCounts({dtype, testing::All16BitPatterns().data(), {65536}});
  }
}

TEST(TensorBoardBins, CountBools) {
  const std::vector<std::uint8_t> bytes = {0, 1, 1, 7, 0};
  ExpectNumpyCounts({DType::kBool, bytes.data(), {5}});
}

TEST(TensorBoardBins, LeaveOutCodesWithADamagedScale) {
  const std::vector<std::int8_t> codes(20'000, 1);
  const std::vector<float> scales = {1, std::numeric_limits<float>::quiet_NaN()};
  TensorView view(codes, {2, 10'000});
  view.quantization = Quantization::PerChannel(scales, {}, 0);
  ExpectNumpyCounts(view);
  EXPECT_TRUE(std::isnan(ComputeHistogram(view)->sum));
}

TEST(TensorBoardBins, OfOneValueAreAnEmptyBinAndItsOwn) {
  const HistogramData histogram = ComputeHistogram({0.0f}).value();
  EXPECT_THAT(histogram.bucket_limits, ::testing::ElementsAre(0, 1e-12));
  EXPECT_THAT(histogram.bucket_counts, ::testing::ElementsAre(0, 1));
}

}  // namespace
}  // namespace cboard::tensor
