#include "cboard/analysis/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "testing/matchers.h"
#include "testing/special_values.h"

namespace cboard::analysis {
namespace {

using ::cboard::testing::kNan;
using ::testing::ElementsAre;
using testing::FailsSaying;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr compression::Better kLower = compression::Better::kLower;
constexpr compression::Better kHigher = compression::Better::kHigher;

using Values = std::vector<std::optional<double>>;

// Computes the front by its definition, pair by pair.
bool Dominates(std::span<const compression::Better> objectives,
               std::span<const std::optional<double>> a, std::span<const std::optional<double>> b) {
  bool better = false;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const double gain = objectives[i] == kHigher ? *a[i] - *b[i] : *b[i] - *a[i];
    if (gain < 0) return false;
    better = better || gain > 0;
  }
  return better;
}

TEST(ComputeParetoFront, KeepsWhatNobodyBeats) {
  const std::vector<compression::Better> objectives = {kLower, kHigher};  // Size, accuracy.
  const Values values = {217, .99, 9.4, .99, 20, .98, 5, .7, 300, .995};
  const auto result = ComputeParetoFront(objectives, values);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->front, ElementsAre(3, 1, 4));
  EXPECT_THAT(result->dominated_by[0], Optional(1u));
  EXPECT_THAT(result->dominated_by[2], Optional(1u));
}

TEST(ComputeParetoFront, KeepsAllOfSeveralEqualPoints) {
  const std::vector<compression::Better> objectives = {kLower, kLower};
  const auto result = ComputeParetoFront(objectives, Values{1, 1, 1, 1, 2, 1, 1, 1});
  EXPECT_THAT(result->front, ElementsAre(0, 1, 3));
  EXPECT_TRUE(result->dominated_by[2]);
}

TEST(ComputeParetoFront, LeavesIncompletePointsOut) {
  const std::vector<compression::Better> objectives = {kLower, kHigher};
  const auto result = ComputeParetoFront(objectives, Values{0, std::nullopt, 1, 1, 0, kNan});
  EXPECT_THAT(result->front, ElementsAre(1));
  EXPECT_THAT(result->incomplete, ElementsAre(0, 2));
  EXPECT_THAT(result->dominated_by, ElementsAre(std::nullopt, std::nullopt, std::nullopt));
}

TEST(ComputeParetoFront, AgreesWithTheDefinitionOnRandomPoints) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t width = 1 + random() % 4;
    std::vector<compression::Better> objectives;
    for (std::size_t i = 0; i < width; ++i) objectives.push_back(random() % 2 ? kLower : kHigher);
    const std::size_t count = random() % 40;
    Values values;
    for (std::size_t i = 0; i < count * width; ++i) {
      if (random() % 25 == 0) {
        values.push_back(random() % 2 ? std::optional<double>(kNan) : std::nullopt);
      } else {
        // Few different values give many ties.
        values.push_back(static_cast<double>(random() % 6));
      }
    }
    const auto row = [&](std::size_t i) { return std::span(values).subspan(i * width, width); };
    const auto complete = [&](std::size_t i) {
      return std::ranges::all_of(row(i), [](auto& value) { return value && !std::isnan(*value); });
    };
    const auto result = ComputeParetoFront(objectives, values);
    ASSERT_TRUE(result);
    for (std::size_t point = 0; point < count; ++point) {
      bool dominated = false;
      for (std::size_t other = 0; other < count && complete(point); ++other) {
        dominated = dominated || (complete(other) && Dominates(objectives, row(other), row(point)));
      }
      const bool in_front = std::ranges::count(result->front, point) == 1;
      EXPECT_EQ(in_front, complete(point) && !dominated);
      ASSERT_EQ(result->dominated_by[point].has_value(), dominated);
      if (dominated) {
        EXPECT_TRUE(Dominates(objectives, row(*result->dominated_by[point]), row(point)));
      }
      EXPECT_EQ(std::ranges::count(result->incomplete, point), complete(point) ? 0 : 1);
    }
  }
}

TEST(ComputeParetoFront, CountsInfinitiesAsTheWorstOrBest) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<compression::Better> objectives = {kLower, kHigher};
  EXPECT_THAT(ComputeParetoFront(objectives, Values{infinity, 1, 5, 1})->front, ElementsAre(1));
}

TEST(ComputeParetoFront, HandlesNothing) {
  const std::vector<compression::Better> objectives = {kLower};
  EXPECT_THAT(ComputeParetoFront(objectives, {})->front, IsEmpty());
}

TEST(ComputeParetoFront, RefusesObjectivesWithoutDirection) {
  const std::vector<compression::Better> unknown = {kLower, compression::Better::kUnknown};
  EXPECT_THAT(ComputeParetoFront(unknown, Values{1, 2}),
              FailsSaying(ErrorCode::kInvalidArgument, "objective 2"));
  EXPECT_THAT(ComputeParetoFront({}, Values{1, 2}),
              FailsSaying(ErrorCode::kInvalidArgument, "at least one"));
  const std::vector<compression::Better> two = {kLower, kLower};
  EXPECT_THAT(ComputeParetoFront(two, Values{1, 2, 3}),
              FailsSaying(ErrorCode::kInvalidArgument, "multiple"));
}

}  // namespace
}  // namespace cboard::analysis
