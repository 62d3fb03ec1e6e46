#include "compression/tuning/histogram_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "testing/matchers.h"

namespace cboard::compression {
namespace {

using testing::FailsWith;
using testing::Succeeds;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> Normals(std::size_t count, unsigned seed, float mean, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

void ExpectEqual(const tensor::HistogramData& a, const tensor::HistogramData& b) {
  EXPECT_EQ(a.bucket_limits, b.bucket_limits);
  EXPECT_EQ(a.bucket_counts, b.bucket_counts);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.num, b.num);
  EXPECT_DOUBLE_EQ(a.sum, b.sum);
  EXPECT_DOUBLE_EQ(a.sum_squares, b.sum_squares);
}

TEST(HistogramSum, OfOneBatchIsItsHistogram) {
  for (const std::vector<float>& values : {Normals(1000, 1, 0, 1),
                                           Normals(7, 2, -50, 3),
                                           {0},
                                           {3, 3, 3},
                                           {-1e-20f, 1e-20f},
                                           {1e19f}}) {
    HistogramSum sum;
    ASSERT_THAT(sum.Add(values), Succeeds());
    const auto whole = tensor::ComputeHistogram(values);
    ASSERT_THAT(whole, Succeeds());
    ASSERT_TRUE(sum.Total());
    ExpectEqual(*sum.Total(), *whole);
  }
}

TEST(HistogramSum, OfPartsIsTheHistogramOfTheWhole) {
  std::vector<float> whole;
  HistogramSum sum;
  // Batches that are far apart, overlap, contain each other, or start further left than all before.
  for (const auto& [mean, deviation] :
       {std::pair(5.f, .1f), {900.f, 3.f}, {0.f, 1.f}, {.1f, 1e-4f}, {-1e6f, 10.f}}) {
    const std::vector<float> part = Normals(301, 7, mean, deviation);
    ASSERT_THAT(sum.Add(part), Succeeds());
    whole.insert(whole.end(), part.begin(), part.end());
  }
  ExpectEqual(*sum.Total(), *tensor::ComputeHistogram(whole));
}

TEST(HistogramSum, CountsQuantizedTensorsByTheirRealValues) {
  const std::vector<std::uint8_t> codes = {0, 100, 103, 255};
  const float scale = 0.5f;
  const std::int32_t zero = 100;
  TensorView view(codes);
  view.quantization = Quantization::PerTensor(std::span(&scale, 1), std::span(&zero, 1));
  HistogramSum sum;
  ASSERT_THAT(sum.Add(view), Succeeds());
  EXPECT_EQ(sum.Total()->min, -50);
  EXPECT_EQ(sum.Total()->max, 77.5);
  EXPECT_EQ(sum.Total()->sum, -50 + 0 + 1.5 + 77.5);
}

TEST(HistogramSum, CountsNanAndInfinityApart) {
  HistogramSum sum;
  ASSERT_THAT(sum.Add(std::vector<float>{1, std::nanf(""), 2, kInfinity, -kInfinity}), Succeeds());
  ASSERT_THAT(sum.Add(std::vector<float>{3}), Succeeds());
  EXPECT_EQ(sum.nan_count(), 1u);
  EXPECT_EQ(sum.infinity_count(), 2u);
  EXPECT_EQ(sum.value_count(), 6u);
  ExpectEqual(*sum.Total(), *tensor::ComputeHistogram(std::vector<float>{1, 2, 3}));
}

TEST(HistogramSum, HasNoTotalWithoutAFiniteValue) {
  HistogramSum sum;
  EXPECT_FALSE(sum.Total());
  ASSERT_THAT(sum.Add(std::vector<float>{}), Succeeds());
  ASSERT_THAT(sum.Add(std::vector<float>{std::nanf(""), kInfinity}), Succeeds());
  EXPECT_FALSE(sum.Total());
  ASSERT_THAT(sum.Add(std::vector<double>{1e200}), Succeeds());  // Beyond the last edge.
  EXPECT_FALSE(sum.Total());
}

TEST(HistogramSum, RefusesATensorThatIsNone) {
  HistogramSum sum;
  EXPECT_THAT(sum.Add(TensorView(DType::kFloat32, nullptr, {3})),
              FailsWith(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace cboard::compression
