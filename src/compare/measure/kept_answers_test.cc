#include "compare/measure/kept_answers.h"

#include <gmock/gmock.h>

#include <cmath>

namespace cboard::compare {
namespace {

constexpr std::size_t kWidth = 64;

std::vector<float> Feature(std::size_t sample, float noise = 0) {
  std::vector<float> values(kWidth);
  for (std::size_t c = 0; c < kWidth; ++c) {
    const auto at = static_cast<float>((sample + 1) * (c + 3));
    values[c] = std::sin(at) + noise * std::cos(7 * at + 1);
  }
  return values;
}

FeatureVectors Vectors(std::size_t samples, float noise) {
  FeatureVectors vectors;
  for (std::size_t i = 0; i < samples; ++i) {
    vectors.Add(Feature(i), Feature(i, noise), {.channels = kWidth});
  }
  return vectors;
}

TEST(FeatureVectors, FindsTheNearestOnesInSpiteOfNoise) {
  const auto found = Vectors(20, 0.3f).Compare();
  EXPECT_EQ(found.vectors, 20u);
  EXPECT_EQ(found.same, 20u);
  EXPECT_GT(found.mean_cosine, 0.9);
  EXPECT_LT(found.mean_cosine, 0.99);
}

TEST(FeatureVectors, LosesThemWhereAllBecomeAlike) {
  FeatureVectors vectors;
  for (std::size_t i = 0; i < 20; ++i) vectors.Add(Feature(i), Feature(3), {.channels = kWidth});
  EXPECT_EQ(vectors.Compare().same, 1u);
}

TEST(FeatureVectors, DoesNotAskForTheNearestOfEqualSamples) {
  FeatureVectors vectors;
  for (std::size_t i = 0; i < 20; ++i) {
    vectors.Add(Feature(0), Feature(0, 0.1f), {.channels = kWidth});
  }
  EXPECT_EQ(vectors.Compare().vectors, 0u);
  EXPECT_GT(vectors.Compare().mean_cosine, 0.9);
}

TEST(FeatureVectors, KnowsVectorsOfOneLength) {
  FeatureVectors same, other;
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<float> unit(kWidth), longer(kWidth);
    unit[i] = 1;
    longer[i] = static_cast<float>(i + 1);
    same.Add(unit, unit, {.channels = kWidth});
    other.Add(longer, longer, {.channels = kWidth});
  }
  EXPECT_TRUE(same.HaveOneLength());
  EXPECT_FALSE(other.HaveOneLength());
}

// Four characters between blanks (0), each at two positions.
std::vector<std::uint32_t> Line(std::uint32_t first, std::size_t shift = 0) {
  std::vector<std::uint32_t> labels(shift, 0);
  for (std::uint32_t c = 0; c < 4; ++c) labels.insert(labels.end(), {0, 0, first + c, first + c});
  labels.resize(24, 0);
  return labels;
}

TEST(LabelSequences, CountsCharactersAndNotPositions) {
  LabelSequences labels;
  for (std::uint32_t i = 0; i < 5; ++i) labels.Add(Line(i + 1), Line(i + 1, 1));
  const auto text = labels.ReadAsText(30);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->characters, 20u);
  EXPECT_EQ(text->errors, 0u);
}

TEST(LabelSequences, CountsEachLostCharacter) {
  LabelSequences labels;
  for (std::uint32_t i = 0; i < 5; ++i) {
    std::vector<std::uint32_t> lost = Line(i + 1);
    lost[2] = lost[3] = 0;  // The first character.
    labels.Add(Line(i + 1), std::move(lost));
  }
  const auto text = labels.ReadAsText(30);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->errors, 5u);
  EXPECT_EQ(text->Agreement(), 0.75);
}

// Tags of words: no label is a blank, runs are long, or there are few labels.
TEST(LabelSequences, LeavesOtherSequencesAlone) {
  LabelSequences words, runs;
  for (std::uint32_t i = 0; i < 5; ++i) {
    std::vector<std::uint32_t> labels = Line(i + 1);
    for (std::uint32_t& label : labels) label += 5;
    words.Add(labels, labels);
    std::vector<std::uint32_t> long_runs(40, 0);
    std::fill(long_runs.begin() + 10, long_runs.begin() + 30, i + 1);
    runs.Add(long_runs, long_runs);
  }
  EXPECT_FALSE(words.ReadAsText(40));
  EXPECT_FALSE(runs.ReadAsText(40));
  LabelSequences few;
  few.Add(Line(1), Line(1));
  EXPECT_FALSE(few.ReadAsText(40));  // Four characters.
  EXPECT_FALSE(words.ReadAsText(8));
}

}  // namespace
}  // namespace cboard::compare
