#include "reader/index/scalar_column.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "reader/testing/index_testing.h"

namespace cboard::reader {
namespace {

using testing::BitsOf;
using testing::PointBits;
using testing::PointsOf;

// Adds as the reader does: the quick way if it takes the point.
void Add(ScalarColumn& column, const ScalarPoint& point) {
  const auto value = static_cast<float>(point.value);
  const bool is_float = std::bit_cast<std::uint64_t>(static_cast<double>(value)) ==
                        std::bit_cast<std::uint64_t>(point.value);
  const auto wall = std::bit_cast<std::uint64_t>(point.wall_time_seconds);
  if (is_float && column.TryAppend(point.step, wall, value)) return;
  column.Append(point.step, point.wall_time_seconds, point.value);
}

std::vector<PointBits> BitsOfAll(const std::vector<ScalarPoint>& points) {
  std::vector<PointBits> bits;
  for (const ScalarPoint& point : points) bits.push_back(BitsOf(point));
  return bits;
}

void ExpectKept(const std::vector<ScalarPoint>& points) {
  const auto arena = std::make_shared<Arena>();
  ScalarColumn column(*arena);
  for (const ScalarPoint& point : points) Add(column, point);
  const ScalarColumnView view = column.View(arena);
  ASSERT_EQ(view.size(), points.size());
  EXPECT_EQ(PointsOf(view), BitsOfAll(points));
  for (std::size_t i = 0; i < points.size(); i += 1 + points.size() / 50) {
    EXPECT_EQ(BitsOf(view.at(i)), BitsOf(points[i])) << i;
  }
}

std::vector<ScalarPoint> Regular(std::size_t count) {
  std::vector<ScalarPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(i);
    points.push_back(
        {static_cast<std::int64_t>(10 * i), 1.7e9 + 0.01 * x, std::sin(x) > 0 ? 0.5 : 2});
  }
  return points;
}

TEST(ScalarColumn, KeepsRegularPoints) { ExpectKept(Regular(5000)); }

TEST(ScalarColumn, KeepsExtremesOfSteps) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  std::vector<ScalarPoint> points;
  for (const std::int64_t step : {0L, kMax, kMin, -1L, 1L, kMin, kMax, kMax, 5L, 4L, 3L, 2L, 1L}) {
    points.push_back({step, 1.7e9, 1});
  }
  ExpectKept(points);
}

TEST(ScalarColumn, KeepsEveryKindOfNumber) {
  using Limits = std::numeric_limits<double>;
  std::vector<ScalarPoint> points = Regular(40);
  for (const double number :
       {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 0.0,
        -0.0, Limits::denorm_min(), double{std::numeric_limits<float>::denorm_min()}, Limits::max(),
        Limits::lowest(), 0.1, double{0.1f}, 1e300}) {
    points.push_back({7, number, 1});
    points.push_back({8, 1.7e9, number});
    points.push_back({9, number, number});
  }
  ExpectKept(points);
}

TEST(ScalarColumn, KeepsClocksThatGoBack) {
  std::vector<ScalarPoint> points = Regular(600);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % 7 == 3) points[i].wall_time_seconds -= 5;
    if (i % 101 == 100) points[i].wall_time_seconds -= 5000;
    if (i % 211 == 210) points[i].wall_time_seconds = 0;
  }
  ExpectKept(points);
}

TEST(ScalarColumn, KeepsAnyMixture) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<ScalarPoint> points;
    ScalarPoint point{static_cast<std::int64_t>(random()), 1.7e9, 1};
    std::int64_t stride = 1;
    const std::uint64_t oddity = 1 + random() % 200;  // One in so many points is odd.
    const std::size_t count = random() % 1500;
    for (std::size_t i = 0; i < count; ++i) {
      // Steps wrap around, as the bits in a file may.
      point.step = static_cast<std::int64_t>(static_cast<std::uint64_t>(point.step) +
                                             static_cast<std::uint64_t>(stride));
      point.wall_time_seconds += static_cast<double>(random() % 1000) * 0.01;
      point.value = static_cast<float>(random());
      if (random() % oddity == 0) {
        switch (random() % 6) {
          case 0:
            point.step = static_cast<std::int64_t>(random());
            break;
          case 1:
            stride = static_cast<std::int64_t>(random() % 1000) - 100;
            break;
          case 2:
            stride = static_cast<std::int64_t>(random());
            break;
          case 3:
            point.wall_time_seconds = static_cast<double>(random());
            break;
          case 4:
            point.value = std::bit_cast<double>(random());
            break;
          default:
            point.step -= 1;
        }
      }
      points.push_back(point);
    }
    ASSERT_NO_FATAL_FAILURE(ExpectKept(points)) << "round " << round;
  }
}

double BytesPerPoint(const std::vector<ScalarPoint>& points) {
  Arena arena;
  ScalarColumn column(arena);
  for (const ScalarPoint& point : points) Add(column, point);
  return static_cast<double>(arena.size_bytes()) / static_cast<double>(points.size());
}

TEST(ScalarColumn, TakesNineBytesForARegularPoint) {
  EXPECT_LE(BytesPerPoint(Regular(100'000)), 9);
}

TEST(ScalarColumn, TakesThirteenBytesForAnIrregularPoint) {
  std::mt19937 random(1);
  std::vector<ScalarPoint> points = Regular(100'000);
  std::int64_t step = 0;
  for (ScalarPoint& point : points) point.step = step += static_cast<std::int64_t>(random() % 50);
  EXPECT_LE(BytesPerPoint(points), 13);
}

TEST(ScalarColumn, StaysSmallWhenTheSpacingBreaksNowAndThen) {
  for (const std::size_t every : {2u, 3u, 10u, 100u, 300u, 700u, 1500u}) {
    std::vector<ScalarPoint> points = Regular(100'000);
    std::int64_t shift = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % every == 0) ++shift;
      points[i].step += shift;
    }
    EXPECT_LE(BytesPerPoint(points), 13) << "a break every " << every << " points";
  }
}

TEST(ScalarColumn, AViewStaysTheSameWhenTheOpenBlockIsLaidOutAnew) {
  const auto arena = std::make_shared<Arena>();
  ScalarColumn column(*arena);
  const std::vector<ScalarPoint> points = Regular(5);
  for (const ScalarPoint& point : points) Add(column, point);
  const ScalarColumnView before = column.View(arena);
  Add(column, {-12345, 5, 0.1});  // Breaks the spacing, far in time, and no float.
  EXPECT_EQ(PointsOf(before), BitsOfAll(points));
  EXPECT_EQ(column.View(arena).at(5), (ScalarPoint{-12345, 5, 0.1}));
}

TEST(ScalarColumn, ASliceIsARangeOfPoints) {
  const auto arena = std::make_shared<Arena>();
  ScalarColumn column(*arena);
  const std::vector<ScalarPoint> points = Regular(2000);
  for (const ScalarPoint& point : points) Add(column, point);
  const ScalarColumnView slice = column.View(arena).Slice(700, 1000).Slice(10, 900);
  const std::vector<PointBits> all = BitsOfAll(points);
  EXPECT_EQ(PointsOf(slice), std::vector<PointBits>(all.begin() + 710, all.begin() + 1610));
  EXPECT_EQ(slice.at(0).step, 7100);
}

TEST(ScalarColumn, ViewsAreReadWhileTheColumnGrows) {
  const auto arena = std::make_shared<Arena>();
  ScalarColumn column(*arena);
  std::vector<ScalarPoint> points = Regular(20'000);
  for (std::size_t i = 0; i < points.size(); i += 97) points[i].step += 3;
  for (std::size_t i = 5; i < points.size(); i += 1999) points[i].value = 0.1;
  std::mutex mutex;
  ScalarColumnView newest;
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::jthread reader([&] {
    while (!done) {
      ScalarColumnView view;
      {
        const std::lock_guard lock(mutex);
        view = newest;
      }
      const std::vector<PointBits> seen = PointsOf(view);
      for (std::size_t i = 0; i < seen.size(); ++i) wrong += seen[i] != BitsOf(points[i]);
    }
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    Add(column, points[i]);
    if (i % 7 == 0) {
      const ScalarColumnView view = column.View(arena);
      const std::lock_guard lock(mutex);
      newest = view;
    }
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(PointsOf(column.View(arena)), BitsOfAll(points));
}

}  // namespace
}  // namespace cboard::reader
