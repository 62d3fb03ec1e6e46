#include "compare/blame/fix_trials.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compare/testing/test_towers.h"

namespace cboard::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using FixTrials = TowerTest;

TEST_F(FixTrials, PutsTheCheapestThatMakesTheEndSoundFirst) {
  std::vector<float> scales = FineScales();
  scales[3] = 2;
  const ModelComparison comparison = Compared(Tower(scales));
  ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty()));
  const auto& fixes = comparison.verdict.suspects[0].fixes;
  ASSERT_THAT(fixes, Not(IsEmpty()));
  EXPECT_THAT(fixes[0].action, HasSubstr("narrow the range"));
  EXPECT_EQ(fixes[0].price, "none at run time");
  EXPECT_EQ(fixes[0].level, VerdictLevel::kSound);
  EXPECT_THAT(fixes[0].setting, HasSubstr("'t2'"));  // The tensor in the baseline's file.
}

TEST_F(FixTrials, WidensARangeThatCutsValuesOff) {
  std::vector<float> scales = FineScales();
  scales[3] = 0.002f;
  const ModelComparison comparison = Compared(Tower(scales));
  ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty()));
  const auto& fixes = comparison.verdict.suspects[0].fixes;
  ASSERT_THAT(fixes, Not(IsEmpty()));
  EXPECT_THAT(fixes[0].action, HasSubstr("widen the range"));
}

TEST_F(FixTrials, CalibratesEverythingAgainIfNoRangeFits) {
  const ModelComparison comparison = Compared(Tower(std::vector<float>(kStages, 3)));
  ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty()));
  const auto& fixes = comparison.verdict.suspects[0].fixes;
  ASSERT_THAT(fixes, Not(IsEmpty()));
  EXPECT_THAT(fixes[0].action, HasSubstr("calibrate again"));
  EXPECT_EQ(fixes[0].level, VerdictLevel::kSound);
}

// Whoever calibrates by random data gets ranges for nothing.
TEST_F(FixTrials, AdvisesNoRangesThatRandomDataHave) {
  std::vector<float> scales = FineScales();
  scales[3] = 2;
  Write("variant.onnx", Tower(scales).Bytes());
  const auto comparison = CompareModels(folder_ / "float.onnx", folder_ / "variant.onnx", {});
  ASSERT_THAT(comparison, testing::Succeeds());
  ASSERT_THAT(comparison->verdict.suspects, Not(IsEmpty()));
  for (const MeasuredFix& fix : comparison->verdict.suspects[0].fixes) {
    EXPECT_THAT(fix.action, Not(HasSubstr("range")));
    EXPECT_THAT(fix.setting, Not(HasSubstr("rmin")));
  }
}

// The gains of a stage are no weights of a layer, but those of the head are.
TEST_F(FixTrials, DoesNotTellAQuantizerToUndoPruning) {
  testing::OnnxBuilder pruned;
  const auto width = static_cast<std::int64_t>(kWidth);
  std::vector<float> weights = Gaussian(kWidth * kWidth, 9, 0.4f);
  for (float& weight : weights) weight = std::abs(weight) < 0.4f ? 0 : weight;
  pruned.Input("x", {1, width});
  std::string from = "x";
  for (std::size_t i = 0; i < kStages; ++i) {
    const std::string number = std::to_string(i);
    std::vector<float> gains = Gaussian(kWidth, static_cast<unsigned>(i) + 1, 0.1f);
    for (float& gain : gains) gain += 1;
    pruned.Weight("gain" + number, {width}, gains)
        .Node("Mul", {from, "gain" + number}, {"t" + number}, {}, "stage" + number);
    from = "t" + number;
  }
  pruned.Weight("head_weight", {width, width}, weights)
      .Node("MatMul", {from, "head_weight"}, {"y"}, {}, "head")
      .Output("y", {1, width});
  const ModelComparison comparison = Compared(pruned);
  ASSERT_THAT(comparison.verdict.suspects, Not(IsEmpty())) << comparison.verdict.sentence;
  ASSERT_THAT(comparison.verdict.suspects[0].fixes, Not(IsEmpty()));
  EXPECT_EQ(comparison.verdict.suspects[0].fixes[0].action, "leave the weights of 'head' unpruned");
  EXPECT_EQ(comparison.verdict.suspects[0].fixes[0].setting, "");
}

}  // namespace
}  // namespace cboard::compare
