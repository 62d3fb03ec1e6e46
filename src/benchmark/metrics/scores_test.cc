#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "cboard/benchmark/classification_scores.h"
#include "cboard/benchmark/detection_scores.h"
#include "cboard/benchmark/text_scores.h"

namespace cboard::benchmark {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ClassificationScores, CountsTheLabelAmongTheLargestScores) {
  ClassificationScores scores;
  scores.Add(std::vector<double>{0.1, 0.7, 0.2, 0, 0, 0}, 1);
  scores.Add(std::vector<double>{9, 8, 7, 6, 5, 4}, 4);
  scores.Add(std::vector<double>{9, 8, 7, 6, 5, 4}, 5);
  EXPECT_DOUBLE_EQ(scores.Top1(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(scores.Top5(), 2.0 / 3);
}

TEST(ClassificationScores, HasFiveClassesAmongTheFirstFiveWhenScoresAreEqual) {
  for (std::int64_t label = 0; label < 10; ++label) {
    ClassificationScores scores;
    scores.Add(std::vector<double>(10, 0.5), label);
    EXPECT_EQ(scores.Top1(), label == 0 ? 1 : 0) << label;
    EXPECT_EQ(scores.Top5(), label < 5 ? 1 : 0) << label;
  }
}

TEST(ClassificationScores, ARowOfNanIsNeverRight) {
  ClassificationScores scores;
  scores.Add(std::vector<double>{kNan, kNan}, 0);
  EXPECT_EQ(scores.Top1(), 0);
  EXPECT_EQ(scores.Top5(), 0);
  EXPECT_EQ(ArgMax(std::vector<double>{kNan, 1, 2}), 2);
}

TEST(ClassificationScores, F1WeighsClassesEquallyOrByTheirLabels) {
  ClassificationScores scores;
  for (const auto& [predicted, label] : {std::pair{0, 0}, {0, 0}, {1, 0}, {1, 1}}) {
    scores.AddClass(predicted, label);
  }
  EXPECT_NEAR(scores.F1Macro(), (0.8 + 2.0 / 3) / 2, 1e-12);
  EXPECT_NEAR(scores.F1Weighted(), (3 * 0.8 + 2.0 / 3) / 4, 1e-12);
}

TEST(DetectionScores, AnExactDetectionScoresOneAndAMissZero) {
  DetectionScores scores;
  scores.AddImage({{{0, 0, 10, 10}, 1, 0.9}}, {{{0, 0, 10, 10}, 1}});
  EXPECT_DOUBLE_EQ(scores.MeanAveragePrecision(), 1);
  scores.AddImage({{{50, 50, 60, 60}, 2, 0.9}}, {{{0, 0, 10, 10}, 2}});
  EXPECT_DOUBLE_EQ(scores.MeanAveragePrecision50(), 0.5);  // Mean of both classes.
}

TEST(DetectionScores, ALooseBoxCountsOnlyBelowItsOverlap) {
  DetectionScores scores;
  scores.AddImage({{{0, 0, 10, 6}, 1, 0.9}}, {{{0, 0, 10, 10}, 1}});  // Overlap 0.6.
  EXPECT_DOUBLE_EQ(scores.MeanAveragePrecision50(), 1);
  // pycocotools gives the same: at 0.6, rounding decides, and 0.5 + 2 * 0.05 is 0.6.
  EXPECT_THAT(scores.MeanAveragePrecision(), DoubleNear(0.25, 0.06));
}

TEST(DetectionScores, DetectionsInACrowdAreNeitherRightNorWrong) {
  DetectionScores scores;
  scores.AddImage({{{0, 0, 10, 10}, 1, 0.5}, {{100, 100, 110, 110}, 1, 0.9}},
                  {{{0, 0, 10, 10}, 1}, {{90, 90, 200, 200}, 1, true}});
  EXPECT_DOUBLE_EQ(scores.MeanAveragePrecision(), 1);
}

TEST(TextErrors, CountsInsertionsDeletionsAndSubstitutions) {
  TextErrors words;
  words.Add(WordsOf("the cat  sat"), WordsOf("the hat sat down"));
  EXPECT_DOUBLE_EQ(words.Rate(), 2.0 / 3);
  TextErrors characters;
  characters.Add(CharactersOf("größe"), CharactersOf("grosse"));
  EXPECT_EQ(characters.token_count(), 5u);
  EXPECT_DOUBLE_EQ(characters.Rate(), 3.0 / 5);
}

TEST(TextErrors, DecodesTheBestPathOfCtc) {
  EXPECT_THAT(DecodeCtc(std::vector<std::int64_t>{0, 3, 3, 0, 3, 2, 0}, 0), ElementsAre(3, 3, 2));
}

TEST(Perplexity, OfUniformLogitsIsTheNumberOfTokens) {
  Perplexity perplexity;
  perplexity.Add(std::vector<double>(50, 3.0), 7);
  perplexity.Add(std::vector<double>(50, -1.0), 0);
  perplexity.Add(std::vector<double>(50, 1e300), -100);  // Padding.
  EXPECT_NEAR(perplexity.Value(), 50, 1e-9);
  EXPECT_EQ(perplexity.token_count(), 2u);
}

}  // namespace
}  // namespace cboard::benchmark
