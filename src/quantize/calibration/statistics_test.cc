#include "cboard/quantize/statistics.h"

#include <gmock/gmock.h>

#include <numeric>

#include "quantize/calibration/calibrate.h"
#include "quantize/rounding/gram.h"
#include "quantize/testing/test_models.h"
#include "testing/matchers.h"

namespace cboard::quantize {
namespace {

using ::testing::ElementsAre;
using testing::Succeeds;

double Total(const WideningHistogram& histogram) {
  return std::accumulate(histogram.counts().begin(), histogram.counts().end(), 0.0);
}

TEST(WideningHistogram, LosesNoCountWhenItWidens) {
  WideningHistogram histogram;
  const std::vector<float> small = NormalValues(1000, 1, 0.01f),
                           large = NormalValues(500, 2, 30.0f);
  ASSERT_THAT(histogram.Add(small, 0.05), Succeeds());
  ASSERT_THAT(histogram.Add(large, 128), Succeeds());
  EXPECT_EQ(Total(histogram), 1500);
}

TEST(WideningHistogram, DoesNotDependOnTheOrderOfSamples) {
  const std::vector<float> small = NormalValues(1000, 1, 0.01f),
                           large = NormalValues(500, 2, 30.0f);
  WideningHistogram first, second, other;
  ASSERT_THAT(first.Add(small, 0.05), Succeeds());
  ASSERT_THAT(first.Add(large, 128), Succeeds());
  ASSERT_THAT(second.Add(large, 128), Succeeds());
  ASSERT_THAT(other.Add(small, 0.05), Succeeds());
  second.Merge(other);
  EXPECT_EQ(first.exponent(), second.exponent());
  EXPECT_EQ(first.counts(), second.counts());
}

TEST(AddTensor, KeepsMinMaxAndSumsOfChannels) {
  const std::vector<float> values = {1, -2, 3, 4, 5, 6};
  TensorStatistics statistics;
  ASSERT_THAT(AddTensor(TensorView(values, {1, 2, 3}), false, statistics), Succeeds());
  EXPECT_EQ(statistics.min, -2);
  EXPECT_EQ(statistics.max, 6);
  EXPECT_THAT(statistics.channel_min, ElementsAre(-2, 4));
  EXPECT_THAT(statistics.channel_max, ElementsAre(3, 6));
  EXPECT_THAT(statistics.channel_sum, ElementsAre(2, 15));
}

TEST(AddGram, SumsTheProductsOfColumns) {
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  std::vector<double> gram;
  AddGram(rows, 2, gram);
  EXPECT_THAT(gram, ElementsAre(35, 44, 44, 56));
}

}  // namespace
}  // namespace cboard::quantize
