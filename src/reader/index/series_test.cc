// The public series on top of columns.
#include "cboard/reader/series.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "reader/index/blob_column.h"
#include "reader/index/scalar_column.h"

namespace cboard::reader {
namespace {

// Points `first` … `end` - 1, as one file has them.
ScalarColumnView Segment(std::int64_t first, std::int64_t end) {
  const auto arena = std::make_shared<Arena>();
  ScalarColumn column(*arena);
  for (std::int64_t i = first; i < end; ++i) column.Append(i, 1.7e9, static_cast<double>(2 * i));
  return column.View(arena);
}

ScalarSeries TenThousand() {
  return ScalarSeries({Segment(0, 3), Segment(3, 3), Segment(3, 9000), Segment(9000, 10'000)});
}

TEST(ScalarSeries, IsTheSegmentsInARow) {
  const ScalarSeries series = TenThousand();
  ASSERT_EQ(series.size(), 10'000u);
  EXPECT_EQ(series.front().step, 0);
  EXPECT_EQ(series.back().step, 9999);
  for (const std::size_t i : {2u, 3u, 8999u, 9000u}) {
    EXPECT_EQ(series.at(i),
              (ScalarPoint{static_cast<std::int64_t>(i), 1.7e9, 2 * static_cast<double>(i)}));
  }
  const std::vector<ScalarPoint> points = series.ToPoints();
  ASSERT_EQ(points.size(), 10'000u);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_EQ(points[i].step, static_cast<std::int64_t>(i));
  }
}

TEST(ScalarSeries, ARangeIsVisitedInBlocks) {
  const ScalarSeries series = TenThousand();
  for (const auto& [first, count] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 10'000}, {2, 2}, {8000, 1500}, {9999, 5}, {10'000, 1}, {20'000, 1}, {5, 0}}) {
    std::vector<std::int64_t> steps;
    series.ForEachBlock(first, count, [&](const ScalarBlock& block) {
      EXPECT_LE(block.steps.size(), 4096u);
      EXPECT_EQ(block.steps.size(), block.values.size());
      EXPECT_EQ(block.steps.size(), block.wall_times_seconds.size());
      steps.insert(steps.end(), block.steps.begin(), block.steps.end());
    });
    const std::size_t expected = first >= 10'000 ? 0 : std::min(count, 10'000 - first);
    ASSERT_EQ(steps.size(), expected);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ASSERT_EQ(steps[i], static_cast<std::int64_t>(first + i));
    }
  }
}

// The point that StoredScalars describes, by its comments.
ScalarPoint PointAt(const StoredScalars& stored, std::size_t i) {
  const auto load = [i]<typename T>(T, const std::byte* column) {
    T value;
    std::memcpy(&value, column + i * sizeof(T), sizeof(T));
    return value;
  };
  std::uint64_t step = stored.step_base + i * stored.stride;
  if (stored.step_bytes == 4) step = stored.step_base + load(std::uint32_t{}, stored.steps);
  if (stored.step_bytes == 8) step = load(std::uint64_t{}, stored.steps);
  const std::uint64_t wall =
      stored.wall_time_bytes == 8
          ? load(std::uint64_t{}, stored.wall_times_seconds)
          : stored.wall_time_base + load(std::uint32_t{}, stored.wall_times_seconds);
  const double value = stored.value_bytes == 8 ? load(double{}, stored.values)
                                               : static_cast<double>(load(float{}, stored.values));
  return {static_cast<std::int64_t>(step), std::bit_cast<double>(wall), value};
}

TEST(ScalarSeries, PointsAreTheSameWhereTheyAreStored) {
  std::mt19937 random(3);
  for (const bool regular : {true, false}) {
    const auto arena = std::make_shared<Arena>();
    ScalarColumn column(*arena);
    for (std::int64_t i = 0; i < 5000; ++i) {
      const bool odd = !regular && random() % 500 == 0;
      const std::int64_t jitter = regular ? 0 : static_cast<std::int64_t>(random() % 3);
      const std::int64_t step = odd ? 1'000'000'000'000 * i : 10 * i + jitter;
      column.Append(step, odd ? 5 : 1.7e9 + 0.01 * static_cast<double>(i),
                    odd ? 0.1 : 0.5 * static_cast<double>(i));
    }
    const ScalarColumnView view = column.View(arena);
    const ScalarSeries series({view, view.Slice(1023, 2), view.Slice(4990, 10), view.Slice(0, 0)});
    const std::vector<ScalarPoint> points = series.ToPoints();
    std::size_t index = 0;
    series.ForEachStored([&](const StoredScalars& stored) {
      ASSERT_GT(stored.count, 0u);
      if (regular) {
        EXPECT_EQ(stored.step_bytes + stored.wall_time_bytes + stored.value_bytes, 8);
      }
      for (std::size_t i = 0; i < stored.count; ++i, ++index) {
        ASSERT_LT(index, points.size());
        ASSERT_EQ(PointAt(stored, i), points[index]) << index;
      }
    });
    EXPECT_EQ(index, points.size());
  }
}

TEST(ScalarSeries, AnEmptyOneHasNothingToVisit) {
  const ScalarSeries series;
  EXPECT_TRUE(series.empty());
  series.ForEachStored([](const StoredScalars&) { ADD_FAILURE(); });
  series.ForEachBlock([](const ScalarBlock&) { ADD_FAILURE(); });
  EXPECT_TRUE(series.ToPoints().empty());
}

TEST(BlobSeries, IsTheSegmentsInARow) {
  const auto arena = std::make_shared<Arena>();
  BlobColumn column(*arena);
  for (std::int64_t i = 0; i < 5; ++i) column.Append({.step = i});
  const BlobColumnView view = column.View(arena);
  const BlobSeries series({view.WithFile(1), view.Slice(1, 2).WithFile(2)});
  ASSERT_EQ(series.size(), 7u);
  EXPECT_EQ(series.at(4).file, 1u);
  EXPECT_EQ(series.at(5).step, 1);
  EXPECT_EQ(series.back().file, 2u);
  std::vector<std::int64_t> steps;
  series.ForEach([&](const BlobEntry& entry) { steps.push_back(entry.step); });
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 1, 2}));
  BlobSeries().ForEach([](const BlobEntry&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace cboard::reader
