#include "cboard/reader/scalar_query.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "reader/query/series_sampler.h"
#include "testing/matchers.h"
#include "testing/special_values.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::FailsSaying;
using ::cboard::testing::FailsWith;
using ::cboard::testing::kInfinity;
using ::cboard::testing::kNan;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

// A series in memory, given out in blocks as small as the test wants.
class FakeSeries {
 public:
  void Add(std::int64_t step, double wall_time_seconds, double value) {
    steps_.push_back(step);
    times_.push_back(wall_time_seconds);
    values_.push_back(value);
  }

  ScalarSource Source(std::size_t block = 4096) const {
    return {.size = steps_.size(),
            .at =
                [this](std::size_t i) {
                  return ScalarPoint{steps_[i], times_[i], values_[i]};
                },
            .for_each_block =
                [this, block](std::size_t first, std::size_t count, const auto& visit) {
                  const std::size_t last = std::min(first + count, steps_.size());
                  for (; first < last; first += block) {
                    const std::size_t n = std::min(block, last - first);
                    visit({std::span(steps_).subspan(first, n), std::span(times_).subspan(first, n),
                           std::span(values_).subspan(first, n)});
                  }
                }};
  }

 private:
  std::vector<std::int64_t> steps_;
  std::vector<double> times_, values_;
};

FakeSeries Wave(std::size_t n) {
  FakeSeries series;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i);
    series.Add(static_cast<std::int64_t>(i) * 10, 1000 + x / 4, std::sin(x / 50));
  }
  return series;
}

TEST(SampleSeries, GivesEveryPointOfAShortSeriesOnTheAxisAskedFor) {
  FakeSeries series;
  series.Add(5, 100.5, 1);
  series.Add(7, 102, kNan);
  series.Add(9, 104, kInfinity);
  const auto by_step = Sample(series.Source(), true, {});
  ASSERT_TRUE(by_step);
  EXPECT_THAT(by_step->xs, ElementsAre(5, 7, 9));
  EXPECT_THAT(by_step->steps, ElementsAre(5, 7, 9));
  EXPECT_TRUE(std::isnan(by_step->values[1]));
  EXPECT_EQ(by_step->values[2], kInfinity);
  EXPECT_TRUE(by_step->exact);
  EXPECT_TRUE(by_step->smoothed.empty());
  const auto relative = Sample(series.Source(), true, {.axis = ScalarAxis::kRelative});
  EXPECT_THAT(relative->xs, ElementsAre(0, 1.5, 3.5));
  const auto wall = Sample(series.Source(), true, {.axis = ScalarAxis::kWall});
  EXPECT_THAT(wall->xs, ElementsAre(100.5, 102, 104));
}

TEST(SampleSeries, KeepsASpikeOfOnePointInAMillion) {
  FakeSeries series;
  for (int i = 0; i < 1'000'000; ++i) series.Add(i, i, i == 654'321 ? 1e6 : 0.5);
  const auto sampled = Sample(series.Source(), true, {.max_points = 400});
  ASSERT_TRUE(sampled);
  EXPECT_LE(sampled->xs.size(), 400u);
  EXPECT_FALSE(sampled->exact);
  EXPECT_EQ(sampled->points_in_range, 1'000'000u);
  EXPECT_THAT(sampled->values, Contains(1e6));
  EXPECT_THAT(sampled->steps, Contains(654'321));
}

TEST(SampleSeries, IsTheSameHoweverThePointsAreCutIntoBlocks) {
  const FakeSeries series = Wave(5000);
  const ScalarQuery query = {.range = {777, 31'000}, .max_points = 100, .smoothing = 0.7};
  const auto whole = Sample(series.Source(10'000), true, query);
  for (const std::size_t block : {1u, 2u, 3u, 64u, 1000u}) {
    const auto cut = Sample(series.Source(block), true, query);
    EXPECT_EQ(cut->xs, whole->xs);
    EXPECT_EQ(cut->values, whole->values);
    EXPECT_EQ(cut->smoothed, whole->smoothed);
  }
}

TEST(SampleSeries, ZoomsToTheRangeAndOneNeighbourOnEitherSide) {
  const FakeSeries series = Wave(100);
  const auto zoomed = Sample(series.Source(), true, {.range = {205, 230}});
  EXPECT_THAT(zoomed->steps, ElementsAre(200, 210, 220, 230, 240));
  EXPECT_EQ(zoomed->points_in_range, 3u);
  const auto all = Sample(series.Source(), true, {.range = {-5, 1e9}});
  EXPECT_EQ(all->steps.size(), 100u);
  const auto beyond = Sample(series.Source(), true, {.range = {5000, 6000}});
  EXPECT_THAT(beyond->steps, ElementsAre(990));
  EXPECT_EQ(beyond->points_in_range, 0u);
}

TEST(SampleSeries, KeepsTheExtremesOfTheRangeWhereStepsGoBack) {
  FakeSeries series;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) series.Add(i, round * 1000 + i, round == 1 && i == 500 ? -9 : i);
  }
  const auto sampled = Sample(series.Source(100), false, {.range = {100, 899}, .max_points = 40});
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->points_in_range, 2400u);
  EXPECT_LE(sampled->xs.size(), 40u);
  EXPECT_THAT(sampled->values, Contains(-9));
  EXPECT_THAT(sampled->values, Contains(899));
  EXPECT_TRUE(std::ranges::all_of(sampled->steps, [](auto s) { return s >= 100 && s <= 899; }));
  EXPECT_TRUE(std::ranges::is_sorted(sampled->wall_times_seconds)) << "the order of logging stays";
}

TEST(SampleSeries, StandsWallTimesThatGoBackOrAreNaN) {
  FakeSeries series;
  for (int i = 0; i < 100; ++i) series.Add(i, i == 50 ? kNan : 100 - i, i);
  const auto sampled = Sample(series.Source(), true, {.axis = ScalarAxis::kWall, .max_points = 8});
  ASSERT_TRUE(sampled);
  EXPECT_THAT(sampled->values, Contains(99));
  EXPECT_LE(sampled->values.size(), 8u);
}

TEST(SampleSeries, RefusesQueriesThatMakeNoSense) {
  const FakeSeries series = Wave(3);
  EXPECT_THAT(Sample(series.Source(), true, {.smoothing = 1}),
              FailsSaying(ErrorCode::kInvalidArgument, "smoothing is 1"));
  EXPECT_THAT(Sample(series.Source(), true, {.range = {2, 1}}),
              FailsSaying(ErrorCode::kInvalidArgument, "x range, 2, is above its end, 1"));
  EXPECT_THAT(Sample(series.Source(), true, {.max_points = 0}),
              FailsWith(ErrorCode::kInvalidArgument));
}

TEST(Smooth, IsTheDebiasedAverageOfTensorBoard) {
  // By hand, weight 0.5: 2/1; (1+2)/... last = 0.5*1 + 0.5*4 = 2.5, over 1 - 0.25.
  EXPECT_THAT(Smooth(std::vector<double>{2, 4}, 0.5),
              Pointwise(DoubleNear(1e-15), {2.0, 2.5 / 0.75}));
  const auto with_gap = Smooth(std::vector<double>{2, kNan, kInfinity, 4}, 0.5);
  EXPECT_TRUE(std::isnan(with_gap[1]));
  EXPECT_EQ(with_gap[2], kInfinity);
  EXPECT_DOUBLE_EQ(with_gap[3], 2.5 / 0.75) << "what cannot be averaged takes no part";
  EXPECT_THAT(Smooth(std::vector<double>{0.1, 0.1, 0.1}, 0.9), ElementsAre(0.1, 0.1, 0.1));
}

TEST(SampleSeries, SmoothsOverAllPointsBeforeLeavingAnyOut) {
  std::mt19937_64 random(1);
  FakeSeries series;
  std::vector<double> values;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(static_cast<double>(random() % 1000));
    series.Add(i, i, values.back());
  }
  const std::vector<double> smoothed = Smooth(values, 0.9);
  const auto sampled =
      Sample(series.Source(), true, {.range = {1000, 2000}, .max_points = 60, .smoothing = 0.9});
  for (std::size_t i = 0; i < sampled->steps.size(); ++i) {
    EXPECT_EQ(sampled->smoothed[i], smoothed[static_cast<std::size_t>(sampled->steps[i])]);
  }
}

TEST(ReadCurve, SortsByXAndKeepsTheLastOfSeveralPointsAtOneX) {
  FakeSeries series;
  series.Add(3, 1, 30);
  series.Add(1, 2, 10);
  series.Add(3, 3, 33);
  series.Add(2, 4, 20);
  const auto curve = Read(series.Source(), ScalarAxis::kStep, {}, 10);
  EXPECT_THAT(curve->xs, ElementsAre(1, 2, 3));
  EXPECT_THAT(curve->ys, ElementsAre(10, 20, 33));
  EXPECT_THAT(Read(series.Source(), ScalarAxis::kStep, {}, 3),
              FailsSaying(ErrorCode::kResourceExhausted, "zoom in"));
}

TEST(AlignCurves, PutsCurvesSideBySideWithoutInventingPoints) {
  const std::vector<Curve> curves = {{{1, 3}, {10, kNan}}, {{2, 3, 4}, {20, 30, 40}}, {}};
  const auto aligned = AlignCurves(curves);
  ASSERT_TRUE(aligned);
  EXPECT_THAT(aligned->xs, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(aligned->columns[0].has_point, ElementsAre(true, false, true, false));
  EXPECT_THAT(aligned->columns[1].ys, ElementsAre(0, 20, 30, 40));
  EXPECT_THAT(aligned->columns[2].has_point, ElementsAre(false, false, false, false));
  EXPECT_THAT(AlignCurves(curves, 11), FailsWith(ErrorCode::kResourceExhausted));
}

TEST(GroupCurves, GivesMeanAndSpreadOnTheUnionOfSteps) {
  const std::vector<Curve> members = {{{0, 10}, {0, 10}}, {{0, 5, 20}, {2, 3, 9}}};
  const auto group = GroupCurves(members);
  ASSERT_TRUE(group);
  EXPECT_THAT(group->xs, ElementsAre(0, 5, 10, 20));
  // At 5 the first member lies between its points, at 10 the second; at 20 the first has ended.
  EXPECT_THAT(group->mean, ElementsAre(1, 4, 7.5, 9));
  EXPECT_THAT(group->min, ElementsAre(0, 3, 5, 9));
  EXPECT_THAT(group->max, ElementsAre(2, 5, 10, 9));
  EXPECT_THAT(group->members, ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(group->standard_deviation,
              Pointwise(DoubleNear(1e-12), {std::sqrt(2.0), std::sqrt(2.0), std::sqrt(12.5), 0.0}));
}

TEST(GroupCurves, DoesNotInterpolateTowardsWhatIsNotFinite) {
  const std::vector<Curve> members = {{{0, 2, 4}, {1, kNan, 3}}, {{1, 2, 3}, {5, 5, 5}}};
  const auto group = GroupCurves(members);
  EXPECT_THAT(group->xs, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(group->members, ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(group->mean, ElementsAre(1, 5, 5, 5, 3));
}

TEST(GroupCurves, SamplesManyStepsButKeepsTheOuterEdgesOfTheBand) {
  std::vector<Curve> members(3);
  for (int i = 0; i < 9000; ++i) {
    for (int m = 0; m < 3; ++m) {
      members[static_cast<std::size_t>(m)].xs.push_back(i);
      members[static_cast<std::size_t>(m)].ys.push_back(i == 4444 && m == 1 ? 50 : m);
    }
  }
  const auto group = GroupCurves(members, 100);
  EXPECT_FALSE(group->exact);
  EXPECT_LE(group->xs.size(), 100u);
  EXPECT_EQ(*std::ranges::max_element(group->max), 50);
  EXPECT_EQ(*std::ranges::min_element(group->min), 0);
  EXPECT_THAT(GroupCurves(members, 100, 1000), FailsWith(ErrorCode::kResourceExhausted));
}

}  // namespace
}  // namespace cboard::reader
