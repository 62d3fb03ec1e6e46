#include "reader/index/pack_columns.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "reader/testing/index_testing.h"

namespace cboard::reader {
namespace {

using ::cboard::testing::PointBits;
using ::cboard::testing::PointsOf;

// A column with these points, in as many small blocks as a growing file makes.
ScalarColumnView GrownColumn(const std::vector<ScalarPoint>& points) {
  const auto arena = std::make_shared<Arena>();
  ScalarColumn column(*arena);
  for (const ScalarPoint& point : points) {
    column.Append(point.step, point.wall_time_seconds, point.value);
  }
  return column.View(arena);
}

std::vector<ScalarPoint> EvenPoints(std::size_t count) {
  std::vector<ScalarPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back({static_cast<std::int64_t>(10 * i), 1.7e9 + 0.25 * static_cast<double>(i),
                      static_cast<float>(i)});
  }
  return points;
}

std::size_t PieceCount(const ScalarColumnView& column) {
  std::size_t count = 0;
  column.ForEachStored([&](const StoredScalars&) { ++count; });
  return count;
}

TEST(PackColumns, RegularPointsTakeEightBytesInOnePiece) {
  std::array columns = {GrownColumn(EvenPoints(20)), GrownColumn(EvenPoints(300)),
                        GrownColumn(EvenPoints(1))};
  const std::vector<PointBits> before = PointsOf(columns[1]);
  EXPECT_GT(PieceCount(columns[1]), 1u);
  EXPECT_EQ(PackColumns(columns), 8u * 321u);
  for (const ScalarColumnView& column : columns) EXPECT_EQ(PieceCount(column), 1u);
  EXPECT_EQ(PointsOf(columns[1]), before);
}

TEST(PackColumns, TheCopyOutlivesTheColumnAndIsReadOn) {
  std::array columns = {GrownColumn(EvenPoints(100))};
  const std::vector<PointBits> before = PointsOf(columns[0]);
  PackColumns(columns);
  EXPECT_EQ(PointsOf(columns[0]), before);

  const auto arena = std::make_shared<Arena>();
  ScalarColumn continued(*arena);
  continued.Adopt(columns[0]);
  continued.Append(1000, 1.8e9, 1);
  EXPECT_EQ(continued.View(arena).size(), 101u);
  EXPECT_EQ(PointsOf(continued.View(arena).Slice(0, 100)), before);
}

TEST(PackColumns, KeepsStepsThatAreNotEvenlySpacedNarrow) {
  std::vector<ScalarPoint> points = EvenPoints(200);
  for (std::size_t i = 0; i < points.size(); i += 3) points[i].step += 1;
  std::array columns = {GrownColumn(points)};
  const std::vector<PointBits> before = PointsOf(columns[0]);
  EXPECT_EQ(PackColumns(columns), 12u * 200u);
  EXPECT_EQ(PointsOf(columns[0]), before);
}

TEST(PackColumns, NoColumnsTakeNoMemory) { EXPECT_EQ(PackColumns({}), 0u); }

TEST(PackColumns, KeepsAnyMixture) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<ScalarColumnView> columns;
    std::vector<std::vector<PointBits>> before;
    for (std::uint64_t left = random() % 4; left > 0; --left) {
      std::vector<ScalarPoint> points = EvenPoints(1 + random() % 1500);
      const std::uint64_t oddity = 1 + random() % 300;
      for (ScalarPoint& point : points) {
        if (random() % oddity != 0) continue;
        switch (random() % 5) {
          case 0:
            point.step = static_cast<std::int64_t>(random());
            break;
          case 1:
            point.step += 1;
            break;
          case 2:
            point.wall_time_seconds = static_cast<double>(random());
            break;
          case 3:
            point.wall_time_seconds -= 5000;
            break;
          default:
            point.value = std::bit_cast<double>(random());
        }
      }
      columns.push_back(GrownColumn(points));
      before.push_back(PointsOf(columns.back()));
    }
    PackColumns(columns);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ASSERT_EQ(PointsOf(columns[i]), before[i]) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace cboard::reader
