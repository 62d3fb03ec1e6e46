#include "cboard/analysis/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/testing/log_builder.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

// The step is the index of the channel.
std::vector<reader::ScalarPoint> Channels(const std::vector<double>& values) {
  std::vector<reader::ScalarPoint> points;
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

TEST(ChannelVariants, AreFoundBesideAComparisonByTheNameOfTheLayer) {
  LogBuilder log;
  for (const char* variant : {"fp32", "int8"}) {
    const std::string run = std::string("cmp/") + variant;
    log.Scalar(run + "/min_per_channel", "fc/weight", -1, 0)
        .Scalar(run + "/min_per_channel", "fc/weight", -2, 1)
        .Scalar(run + "/max_per_channel", "fc/weight", 3, 1);
  }
  log.Scalar("mct/initial_graph/min_per_channel", "fc", 0);
  const auto snapshot = log.Read();
  const auto variants = FindChannelVariants(*snapshot);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[1].description.name, "int8");
  const auto channels = ReadLayerChannels(*snapshot, variants[1], "fc", "weight");
  ASSERT_TRUE(channels);
  EXPECT_EQ(channels->min[1], -2);
  EXPECT_EQ(channels->max[0], std::nullopt);
  EXPECT_FALSE(ReadLayerChannels(*snapshot, variants[1], "fc", "output"));
}

TEST(ChannelVariants, HaveTheSqnrOfEachChannelAndSayOfWhichThereIsAHistogram) {
  LogBuilder log;
  log.Scalar("cmp/int8/sqnr_per_channel", "fc/weight", 200, 0)
      .Scalar("cmp/int8/sqnr_per_channel", "fc/weight", 11.5, 1)
      .Scalar("cmp/int8/sqnr_per_channel", "fc/weight", -200, 2);
  for (const int channel : {1, 7}) {
    EXPECT_TRUE(log.Writer("cmp/int8/histogram_per_channel")
                    .AddHistogram("fc/weight", std::vector<double>{0.5, 1}, channel));
  }
  const auto snapshot = log.Read();
  const auto variants = FindChannelVariants(*snapshot);
  ASSERT_EQ(variants.size(), 1u);
  const auto channels = ReadLayerChannels(*snapshot, variants[0], "fc", "weight");
  ASSERT_TRUE(channels);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(channels->sqnr_db,
              ElementsAre(Optional(infinity), Optional(11.5), Optional(-infinity)));
  ASSERT_TRUE(channels->histograms);
  EXPECT_EQ(channels->histograms->run, "cmp/int8/histogram_per_channel");
  EXPECT_EQ(channels->histograms->tag, "fc/weight");
  EXPECT_THAT(channels->histograms->channels, ElementsAre(1, 7));
}

}  // namespace
}  // namespace cboard::analysis
