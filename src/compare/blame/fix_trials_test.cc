#include "compare/blame/fix_trials.h"

#include <gmock/gmock.h>

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
  EXPECT_EQ(fixes[0].price, "no cost");
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

}  // namespace
}  // namespace cboard::compare
