#include "server/downsample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace cboard {
namespace {

std::vector<ScalarPoint> Points(const std::vector<double>& values) {
  std::vector<ScalarPoint> points;
  for (const double value : values) {
    points.push_back({static_cast<std::int64_t>(points.size()), 0, value});
  }
  return points;
}

// Series of all kinds, the same on every run.
std::vector<std::vector<double>> ManySeries() {
  std::mt19937 random(7);
  std::vector<std::vector<double>> all;
  for (const std::size_t size : {9u, 10u, 100u, 101u, 4096u, 10007u}) {
    std::vector<double> noise(size), walk(size), flat(size, 1), gaps(size);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < size; ++i) {
      noise[i] = normal(random);
      walk[i] = (i == 0 ? 0 : walk[i - 1]) + normal(random);
      gaps[i] = random() % 10 == 0 ? std::nan("") : normal(random);
    }
    flat[size / 3] = 2;
    gaps[size / 2] = std::numeric_limits<double>::infinity();
    all.insert(all.end(), {noise, walk, flat, gaps, std::vector<double>(size, std::nan(""))});
  }
  return all;
}

TEST(Downsample, KeepsEveryPointWhenTheyFit) {
  EXPECT_EQ(Downsample({}, 8), (std::vector<std::size_t>{}));
  EXPECT_EQ(Downsample(Points({3, 1, 2}), 8), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(Downsample(Points(std::vector<double>(8, 1)), 8).size(), 8u);
}

TEST(Downsample, GivesAscendingIndicesAndNeverMoreThanAsked) {
  for (const auto& values : ManySeries()) {
    for (const std::size_t max_points : {8u, 9u, 11u, 100u, 1000u}) {
      const auto kept = Downsample(Points(values), max_points);
      EXPECT_LE(kept.size(), max_points);
      EXPECT_TRUE(std::ranges::is_sorted(kept, std::less_equal<>()) ||
                  std::ranges::adjacent_find(kept, std::greater_equal<>()) == kept.end());
      EXPECT_EQ(kept.front(), 0u);
      EXPECT_EQ(kept.back(), values.size() - 1);
    }
  }
}

TEST(Downsample, KeepsTheLeastAndTheGreatestValue) {
  for (const auto& values : ManySeries()) {
    std::vector<double> numbers;
    std::ranges::copy_if(values, std::back_inserter(numbers), [](double v) { return v == v; });
    if (numbers.empty()) continue;
    std::vector<double> shown;
    for (const std::size_t i : Downsample(Points(values), 20)) {
      if (!std::isnan(values[i])) shown.push_back(values[i]);
    }
    EXPECT_EQ(std::ranges::min(shown), std::ranges::min(numbers));
    EXPECT_EQ(std::ranges::max(shown), std::ranges::max(numbers));
  }
}

TEST(Downsample, ShowsEverySpikeWhereverItIs) {
  constexpr std::size_t kSize = 1000;
  for (std::size_t at = 0; at < kSize; ++at) {
    for (const double spike : {1e9, -1e9, std::nan(""), std::numeric_limits<double>::infinity()}) {
      std::vector<double> values(kSize, 0.5);
      values[at] = spike;
      const auto kept = Downsample(Points(values), 50);
      EXPECT_TRUE(std::ranges::binary_search(kept, at)) << spike << " at " << at;
    }
  }
}

// Two spikes that are further apart than a stretch is long are both there.
TEST(Downsample, ShowsASpikePerStretch) {
  std::vector<double> values(10'000, 0);
  for (std::size_t i = 50; i < values.size(); i += 100) values[i] = static_cast<double>(i);
  const auto kept = Downsample(Points(values), 202);
  for (std::size_t i = 50; i < values.size(); i += 100) {
    EXPECT_TRUE(std::ranges::binary_search(kept, i)) << i;
  }
}

}  // namespace
}  // namespace cboard
