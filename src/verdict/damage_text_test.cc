#include "cboard/verdict/damage_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cboard::verdict {
namespace {

TEST(DamageText, SaysWhatHappenedWithItsNumbers) {
  EXPECT_EQ(WrongScaleText("weights", 0.5), "scale is wrong: weights are 0.5 times the baseline's");
  EXPECT_EQ(ShiftedText("values", 0.5, 0, 0.25),
            "values are shifted by 0.5 standard deviations: the mean went from 0 to 0.25");
  EXPECT_EQ(ClippedText("weights", 0.03, {-1, 1}, {-3, 4}),
            "clipped: 3 % of the baseline's weights lie outside [-1, 1]; the baseline's range is "
            "[-3, 4]");
  EXPECT_EQ(PrunedText("weights", 0.6), "60 % of the weights were pruned: they are 0 now");
}

TEST(DamageText, LeavesOutAnInfiniteNumberOfStandardDeviations) {
  EXPECT_EQ(ShiftedText("values", HUGE_VAL, 1, 2), "values are shifted: the mean went from 1 to 2");
}

}  // namespace
}  // namespace cboard::verdict
