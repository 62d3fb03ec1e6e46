#include "cboard/analysis/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

// Step = channel.
std::vector<ScalarPoint> Channels(const std::vector<double>& values) {
  std::vector<ScalarPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.push_back({static_cast<std::int64_t>(i), 1, values[i]});
  }
  return points;
}

TEST(SummarizeChannels, TurnsStepsIntoChannels) {
  const auto statistics = SummarizeChannels(
      "conv1", {.min = Channels({-1, -2}), .max = Channels({1, 2}), .mean = Channels({0, 0.5})});
  EXPECT_THAT(statistics.min, ElementsAre(Optional(-1.0), Optional(-2.0)));
  EXPECT_THAT(statistics.max, ElementsAre(Optional(1.0), Optional(2.0)));
  EXPECT_THAT(statistics.mean, ElementsAre(Optional(0.0), Optional(0.5)));
  EXPECT_THAT(statistics.outliers, IsEmpty());
  EXPECT_EQ(DescribeOutliers(statistics), "");
}

TEST(SummarizeChannels, NamesChannelsFarBeyondTheMedian) {
  const auto statistics = SummarizeChannels(
      "conv1", {.min = Channels({-1, -80, -1, -1, -1}), .max = Channels({1, 1, 1, 12, 1})});
  ASSERT_EQ(statistics.outliers.size(), 2u);
  EXPECT_EQ(statistics.outliers[0], (OutlierChannel{.channel = 1, .magnitude = 80, .ratio = 80}));
  EXPECT_EQ(statistics.outliers[1].channel, 3u);
  EXPECT_THAT(statistics.spread, Optional(80.0));
  EXPECT_EQ(DescribeOutliers(statistics),
            "channel 1 reaches 80, 80 times the median channel (1); 1 more reach 8 times it");
}

TEST(SummarizeChannels, NamesDeadChannels) {
  const auto statistics =
      SummarizeChannels("conv1", {.min = Channels({-1, 0, -1}), .max = Channels({1, 0, 2})});
  EXPECT_THAT(statistics.dead, ElementsAre(1));
  EXPECT_THAT(statistics.outliers, IsEmpty());
}

TEST(SummarizeChannels, MakesNothingUpWhereNothingWasLogged) {
  const auto statistics =
      SummarizeChannels("conv1", {.max = {{.step = 2, .wall_time_seconds = 1, .value = 3}}});
  EXPECT_THAT(statistics.max, ElementsAre(std::nullopt, std::nullopt, Optional(3.0)));
  EXPECT_THAT(statistics.min, IsEmpty());
  EXPECT_THAT(statistics.median_magnitude, Optional(3.0));
}

TEST(SummarizeChannels, DoesNotAllocateForAbsurdSteps) {
  const auto statistics = SummarizeChannels(
      "conv1", {.max = {{.step = std::numeric_limits<std::int64_t>::max(), .value = 3},
                        {.step = -1, .value = 3},
                        {.step = 0, .value = 1}}});
  EXPECT_EQ(statistics.max.size(), 1u);
  EXPECT_EQ(statistics.ignored_points, 2u);
}

TEST(SummarizeChannels, DividesNothingByAMedianOfZero) {
  const auto statistics = SummarizeChannels("relu", {.max = Channels({0, 0, 0, 5})});
  EXPECT_THAT(statistics.median_magnitude, Optional(0.0));
  EXPECT_FALSE(statistics.spread);
  EXPECT_THAT(statistics.dead, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace cboard::analysis
