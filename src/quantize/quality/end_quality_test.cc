#include "quantize/quality/end_quality.h"

#include <gmock/gmock.h>

namespace cboard::quantize {
namespace {

// One sample with a box in pixels and a score, for each of two anchors.
ModelOutputs Detections(float score) {
  return {{{{"boxes", {1, 2, 2}, {100, 200, score, score}}}}};
}

TEST(CompareOutputs, DoesNotHideScoresBehindBoxes) {
  const EndQuality quality = CompareOutputs(Detections(0.5f), Detections(0.0f));
  ASSERT_EQ(quality.heads.size(), 1u);
  EXPECT_GT(quality.heads[0].sqnr_db, 40);
  EXPECT_LT(quality.heads[0].channel_sqnr_db, 31);
}

TEST(CompareOutputs, ReportsHeadsButNotHiddenActivations) {
  ModelOutputs before{{{{"y", {1, 2}, {1, 2}}, {"h", {1, 2}, {3, 4}, true}}}};
  ModelOutputs after = before;
  after.samples[0][1].values = {0, 0};
  const EndQuality quality = CompareOutputs(before, after);
  ASSERT_EQ(quality.heads.size(), 1u);
  EXPECT_EQ(quality.heads[0].sqnr_db, 200);
  EXPECT_LT(quality.MeanSqnrDb(), 40) << "hidden activations decide, too";
}

// Four samples of a landmark near (3, 4) that moves by one.
ModelOutputs Landmarks(float error) {
  ModelOutputs outputs;
  for (const float move : {-1.0f, 1.0f, -1.0f, 1.0f}) {
    outputs.samples.push_back({{"point", {1, 2}, {3 + move + error, 4 + move + error}}});
  }
  return outputs;
}

TEST(CompareOutputs, MeasuresErrorsAgainstTheDifferencesBetweenSamples) {
  const EndQuality quality = CompareOutputs(Landmarks(0), Landmarks(0.5f));
  EXPECT_GT(quality.heads[0].sqnr_db, 15);
  EXPECT_LT(quality.heads[0].channel_sqnr_db, 7);
  EXPECT_LT(quality.MeanSqnrDb(), 7);
  const EndQuality with_mean = CompareOutputs(Landmarks(0), Landmarks(0.5f), false);
  EXPECT_GT(with_mean.heads[0].channel_sqnr_db, 15);
}

TEST(CompareOutputs, KeepsTheMeanOfOutputsThatHardlyDiffer) {
  ModelOutputs before = Landmarks(0), after = Landmarks(0.5f);
  for (ModelOutputs* const outputs : {&before, &after}) {
    for (auto& sample : outputs->samples) {
      for (float& value : sample[0].values) value += 100;
    }
  }
  EXPECT_GT(CompareOutputs(before, after).heads[0].channel_sqnr_db, 40);
}

TEST(CompareOutputs, KeepsTheMeanOfOutputsWithDifferentShapes) {
  ModelOutputs before = Landmarks(0), after = Landmarks(0.5f);
  for (ModelOutputs* const outputs : {&before, &after}) {
    outputs->samples[1][0].shape = {1, 1};
    outputs->samples[1][0].values.resize(1);
  }
  EXPECT_GT(CompareOutputs(before, after).heads[0].channel_sqnr_db, 15);
}

EndQuality WithSamples(std::vector<double> sqnr_db) {
  EndQuality quality;
  quality.sample_sqnr_db = std::move(sqnr_db);
  return quality;
}

TEST(IsBetter, AcceptsAGainOfAllSamples) {
  EXPECT_TRUE(IsBetter(WithSamples({21, 31, 26, 41}), WithSamples({20, 30, 25, 40})));
}

TEST(IsBetter, RefusesAGainByChance) {
  EXPECT_FALSE(IsBetter(WithSamples({45, 20, 15, 30}), WithSamples({20, 25, 20, 35})));
}

TEST(IsBetter, RefusesToSacrificeAHead) {
  EndQuality now = WithSamples({20}), changed = WithSamples({30});
  now.heads = {{.output = "boxes", .channel_sqnr_db = 10},
               {.output = "scores", .channel_sqnr_db = 30}};
  changed.heads = {{.output = "boxes", .channel_sqnr_db = 40},
                   {.output = "scores", .channel_sqnr_db = 20}};
  EXPECT_FALSE(IsBetter(changed, now));
}

}  // namespace
}  // namespace cboard::quantize
