#include "compare/verify/costliest_parts.h"

#include <gmock/gmock.h>

#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace cboard::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct DoneSearch {
  std::vector<std::size_t> parts;
  std::size_t runs = 0;
};

// Costs that add up, as the power of independent errors does.
DoneSearch Searched(const std::vector<double>& costs, const PartSearch& search = {}) {
  DoneSearch done;
  for (const PartCost& part :
       FindCostliestParts(costs.size(), search, [&](std::size_t first, std::size_t end) {
         ++done.runs;
         return std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(first),
                                costs.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
       })) {
    EXPECT_EQ(part.cost, costs[part.part]);
    done.parts.push_back(part.part);
  }
  return done;
}

TEST(CostliestParts, AreFoundByHalves) {
  std::vector<double> costs(1000, 0.001);
  costs[713] = 10;
  const DoneSearch done = Searched(costs);
  EXPECT_THAT(done.parts, ElementsAre(713));
  EXPECT_LE(done.runs, 2u * 10 + 1);
}

TEST(CostliestParts, TheCostliestComesFirst) {
  std::vector<double> costs(200, 0.001);
  costs[13] = 3, costs[14] = 5, costs[150] = 4, costs[199] = 2;
  EXPECT_THAT(Searched(costs, {.max_runs = 100}).parts, ElementsAre(14, 150, 13));
}

TEST(CostliestParts, WhereverTheyAre) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> costs(1 + random() % 300, 0.0001);
    const std::size_t costly = random() % costs.size();
    costs[costly] = 1;
    EXPECT_THAT(Searched(costs).parts, ElementsAre(costly));
  }
}

TEST(CostliestParts, ACostThatAllShareHasNoCulprit) {
  const DoneSearch done = Searched(std::vector<double>(500, 1.0));
  EXPECT_THAT(done.parts, IsEmpty());
  EXPECT_LE(done.runs, PartSearch().max_runs);
}

TEST(CostliestParts, NothingCostsNothing) {
  EXPECT_THAT(Searched({}).parts, IsEmpty());
  const DoneSearch done = Searched({0, 0, 0});
  EXPECT_THAT(done.parts, IsEmpty());
  EXPECT_EQ(done.runs, 1u);
}

TEST(CostliestParts, WhatWasFoundBeforeItWasStoppedIsKept) {
  std::vector<double> costs = {8, 1, 1, 4};
  std::size_t runs = 0;
  const auto found =
      FindCostliestParts(4, {}, [&](std::size_t first, std::size_t end) -> std::optional<double> {
        if (++runs == 6) return std::nullopt;
        return std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(first),
                               costs.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
      });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].part, 0u);
}

TEST(CostliestParts, SetsThatCannotBeMeasuredAreLeftOut) {
  const auto found =
      FindCostliestParts(4, {}, [&](std::size_t first, std::size_t end) -> std::optional<double> {
        if (first == 0 && end == 2) return std::numeric_limits<double>::quiet_NaN();
        return static_cast<double>(end - first);
      });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_GE(found[0].part, 2u);
}

}  // namespace
}  // namespace cboard::compare
