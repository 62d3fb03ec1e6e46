#include "cboard/verdict/damage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace cboard::verdict {
namespace {

TEST(Cause, EveryNameIsReadBackAsItsCause) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    const Cause cause = static_cast<Cause>(i);
    EXPECT_EQ(CauseNamed(NameOf(cause)), cause);
    EXPECT_FALSE(HeadlineOf(cause).empty()) << NameOf(cause);
    EXPECT_EQ(ShortTextOf(cause).empty(), cause == Cause::kNone);
    names.insert(NameOf(cause));
  }
  EXPECT_EQ(names.size(), kCauseCount);
  EXPECT_EQ(NameOf(Cause::kChanged), "changed");  // The last one: the table has the enum's order.
}

TEST(Cause, NamesThatLogsWereRankedWithBeforeAreStillRead) {
  EXPECT_EQ(CauseNamed("clipped"), Cause::kOverClipped);
  EXPECT_EQ(CauseNamed("shifted"), Cause::kBiasShift);
  EXPECT_EQ(CauseNamed("scaled"), Cause::kWrongScale);
  EXPECT_EQ(CauseNamed("stretched"), Cause::kOutliers);
  EXPECT_EQ(CauseNamed("broken"), std::nullopt);
  EXPECT_EQ(CauseNamed(""), std::nullopt);
}

TEST(Level, EveryNameIsReadBackAsItsLevel) {
  for (const Level level : {Level::kUnmeasured, Level::kGreen, Level::kAmber, Level::kRed}) {
    EXPECT_EQ(LevelNamed(NameOf(level)), level);
  }
  EXPECT_EQ(LevelNamed("yellow"), std::nullopt);
}

TEST(ThresholdsFor, FollowWhatSoManyBitsCanKeep) {
  EXPECT_EQ(ThresholdsFor(8).sqnr_red_db, 20);
  EXPECT_EQ(ThresholdsFor(16).sqnr_red_db, 20);
  EXPECT_NEAR(ThresholdsFor(4).sqnr_red_db, 9.6, 0.1);
  EXPECT_NEAR(ThresholdsFor(4).sqnr_amber_db, 14.3, 0.1);
  EXPECT_NEAR(ThresholdsFor(4).worst_channel_red_db, 4.8, 0.1);
  EXPECT_NEAR(ThresholdsFor(4).clip_rate_amber, 64 * ThresholdsFor(8).clip_rate_amber, 1e-12);
  EXPECT_EQ(ThresholdsFor(4).min_central_codes, 2);
  for (int bits = 1; bits < 8; ++bits) {
    EXPECT_GT(ThresholdsFor(bits).worst_channel_red_db, 0) << bits;
    EXPECT_LT(ThresholdsFor(bits).sqnr_red_db, ThresholdsFor(bits + 1).sqnr_red_db) << bits;
  }
}

TEST(LevelOf, EndsGreenAndAmberBelowTheLimits) {
  EXPECT_EQ(LevelOf(30, {}), Level::kGreen);
  EXPECT_EQ(LevelOf(29.9, {}), Level::kAmber);
  EXPECT_EQ(LevelOf(20, {}), Level::kAmber);
  EXPECT_EQ(LevelOf(19.9, {}), Level::kRed);
  EXPECT_EQ(LevelOf(HUGE_VAL, {}), Level::kGreen);
}

}  // namespace
}  // namespace cboard::verdict
