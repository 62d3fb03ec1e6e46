#include "compare/blame/root_causes.h"

#include <gmock/gmock.h>

#include "compare/testing/test_towers.h"

namespace cboard::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using RootCauses = TowerTest;

// One finding, not one for each layer.
TEST_F(RootCauses, CallsRangesThatAreAllTooWideOneCalibrationError) {
  const ModelComparison comparison = Compared(Tower(std::vector<float>(kStages, 3)));
  ASSERT_THAT(comparison.verdict.suspects, SizeIs(1));
  const Suspect& suspect = comparison.verdict.suspects[0];
  EXPECT_EQ(suspect.cause, "calibration");
  EXPECT_EQ(suspect.layer, "x");
  EXPECT_THAT(suspect.sentence, HasSubstr("calibrated with other inputs"));
  EXPECT_EQ(CountOf(comparison, Level::kRed), 1u);
}

// Networks that normalize their input, or move its channels, quantize it behind that.
TEST_F(RootCauses, KnowsTheInputBehindItsNormalization) {
  const ModelComparison comparison = Compared(Tower({0, 3, 3, 3, 3, 3}));
  ASSERT_THAT(comparison.verdict.suspects, SizeIs(1));
  EXPECT_EQ(comparison.verdict.suspects[0].layer, "stage0");
  EXPECT_THAT(comparison.verdict.suspects[0].sentence, HasSubstr("calibrated with other inputs"));
  EXPECT_THAT(comparison.verdict.suspects[0].fix, HasSubstr("calibrate again"));
}

TEST_F(RootCauses, CallsRangesThatAreAllTooNarrowClipped) {
  std::vector<float> scales(kStages, 0.003f);
  scales[0] = 0.035f;  // The input fits: percentile calibration cuts the others.
  const ModelComparison comparison = Compared(Tower(scales));
  ASSERT_THAT(comparison.verdict.suspects, SizeIs(1));
  EXPECT_EQ(comparison.verdict.suspects[0].cause, "over_clipped");
}

// 8-bit pixels have a scale of 1, and so have samples of zeros: the ranges behind them tell.
TEST_F(RootCauses, TellsPixelsFromBlankSamples) {
  testing::OnnxBuilder pixels = Tower({1, 1, 1, 1, 1, 1});
  const ModelComparison comparison = Compared(pixels);
  ASSERT_THAT(comparison.verdict.suspects, SizeIs(1));
  EXPECT_THAT(comparison.verdict.suspects[0].sentence, Not(HasSubstr("blank")));
}

// A range of zeros gets a scale of 1 and a zero point of 0.
TEST_F(RootCauses, KnowsBlankSamplesByARunOnZeros) {
  const ModelComparison comparison = Compared(Tower({0, 1, 1, 1, 1, 1}, 1, 0));
  ASSERT_THAT(comparison.verdict.suspects, SizeIs(1));
  EXPECT_EQ(comparison.verdict.suspects[0].cause, "calibration");
  EXPECT_THAT(comparison.verdict.suspects[0].sentence, HasSubstr("blank"));
}

// The input has the scale of pixels, and the ranges behind it are too narrow, but not those of
// zeros.
TEST_F(RootCauses, DoesNotTakeNarrowRangesBehindPixelsForBlankSamples) {
  const ModelComparison comparison =
      Compared(Tower({1, 0.003f, 0.003f, 0.003f, 0.003f, 0.003f}, 1, 0));
  ASSERT_THAT(comparison.verdict.suspects, SizeIs(1));
  EXPECT_EQ(comparison.verdict.suspects[0].cause, "calibration");
  EXPECT_THAT(comparison.verdict.suspects[0].sentence, HasSubstr("calibrated with other inputs"));
}

}  // namespace
}  // namespace cboard::compare
