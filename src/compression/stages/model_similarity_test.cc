#include "cboard/compression/model_similarity.h"

#include <gmock/gmock.h>

#include <cmath>

#include "testing/matchers.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::Succeeds;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(ModelSimilarity, GivesTheCosineAtEveryPointOfEverySample) {
  const std::vector<float> a = {1, 0}, b = {1, 1}, c = {0, 3};
  ModelSimilarity similarity;
  EXPECT_THAT(similarity.AddSample({{"conv", a, a}, {"fc", a, b}}), Succeeds());
  EXPECT_THAT(similarity.AddSample({{"conv", a, c}, {"fc", a, a}}), Succeeds());
  EXPECT_THAT(similarity.layers(), ElementsAre("conv", "fc"));
  ASSERT_EQ(similarity.samples().size(), 2u);
  EXPECT_THAT(similarity.samples()[0], ElementsAre(1, DoubleNear(std::sqrt(0.5), 1e-12)));
  EXPECT_THAT(similarity.samples()[1], ElementsAre(0, 1));
  EXPECT_THAT(similarity.MeanCosines(),
              ElementsAre(0.5, DoubleNear((1 + std::sqrt(0.5)) / 2, 1e-12)));
  EXPECT_EQ(similarity.Comparisons()[1].total.count, 4u);
}

TEST(ModelSimilarity, TwoTensorsOfZerosAreAlike) {
  const std::vector<float> zeros = {0, 0, 0}, ones = {1, 1, 1};
  ModelSimilarity similarity;
  EXPECT_THAT(similarity.AddSample({{"dead", zeros, zeros}, {"died", ones, zeros}}), Succeeds());
  EXPECT_THAT(similarity.samples()[0], ElementsAre(1, 0));
}

TEST(ModelSimilarity, LeavesNaNOutOfTheMean) {
  const std::vector<float> nan = {NAN}, one = {1};
  ModelSimilarity similarity;
  EXPECT_THAT(similarity.AddSample({{"a", nan, one}, {"b", nan, nan}}), Succeeds());
  EXPECT_THAT(similarity.AddSample({{"a", one, one}, {"b", nan, nan}}), Succeeds());
  EXPECT_TRUE(std::isnan(similarity.samples()[0][0]));
  EXPECT_EQ(similarity.MeanCosines()[0], 1);
  EXPECT_TRUE(std::isnan(similarity.MeanCosines()[1]));
}

TEST(ModelSimilarity, RefusesSamplesThatDoNotMatch) {
  constexpr auto kInvalid = ErrorCode::kInvalidArgument;
  const std::vector<float> two = {1, 2}, three = {1, 2, 3};
  ModelSimilarity similarity;
  EXPECT_THAT(similarity.AddSample({}), FailsSaying(kInvalid, "has no layers to compare"));
  EXPECT_THAT(similarity.AddSample({{"a", two, two}, {"a", two, two}}),
              FailsSaying(kInvalid, "two layers of a sample have the name 'a'"));
  EXPECT_THAT(similarity.AddSample({{"a", two, three}}), FailsSaying(kInvalid, "point 'a'"));
  EXPECT_TRUE(similarity.samples().empty());
  EXPECT_THAT(similarity.AddSample({{"a", two, two}}), Succeeds());
  EXPECT_THAT(
      similarity.AddSample({{"b", two, two}}),
      FailsSaying(kInvalid, "layer 0 of sample 1 is 'b', but in the first sample it is 'a'"));
  EXPECT_THAT(similarity.AddSample({{"a", two, two}, {"b", two, two}}),
              FailsSaying(kInvalid, "has 2 layers to compare, but the first sample has 1"));
  EXPECT_EQ(similarity.samples().size(), 1u);
}

}  // namespace
}  // namespace cboard::compression
