#include "tune/knapsack.h"

#include <gmock/gmock.h>

#include <random>

namespace cboard::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Knapsack, WithoutGroupsHasOneEmptyChoice) {
  const auto choices = SolveKnapsack({});
  ASSERT_THAT(choices, SizeIs(1));
  EXPECT_THAT(choices[0].options, IsEmpty());
}

TEST(Knapsack, TakesTheCombinationThatTheGreedyOrderMisses) {
  // By gain for each byte, the first comes first; two of the others fit instead of it.
  const auto choices =
      SolveKnapsack({{{0, 0}, {60, -61}}, {{0, 0}, {50, -50}}, {{0, 0}, {50, -50}}});
  const auto within = std::ranges::find_if(choices.rbegin(), choices.rend(),
                                           [](const auto& choice) { return choice.price <= 100; });
  ASSERT_NE(within, choices.rend());
  EXPECT_THAT(within->options, ElementsAre(0, 1, 1));
}

TEST(Knapsack, ChoosesOneOfThreeOptionsOfAGroup) {
  // 4 bits, 8 bits, float.
  const KnapsackGroup group = {{-50, 0.2}, {0, 0.01}, {300, 0}};
  const auto choices = SolveKnapsack({group, group});
  EXPECT_THAT(choices.front().options, ElementsAre(0, 0));
  EXPECT_THAT(choices.back().options, ElementsAre(2, 2));
  EXPECT_DOUBLE_EQ(choices.front().price, -100);
}

TEST(Knapsack, IsAsGoodAsEveryCombination) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> price(0, 1000), noise(-1, 0.2);
  for (int round = 0; round < 30; ++round) {
    std::vector<KnapsackGroup> groups(7);
    for (KnapsackGroup& group : groups) {
      group = {{0, 0}, {price(random), noise(random)}, {price(random) - 500, noise(random)}};
    }
    const auto choices = SolveKnapsack(groups);
    for (std::size_t i = 1; i < choices.size(); ++i) {
      EXPECT_LT(choices[i].noise, choices[i - 1].noise);
    }
    double span = 0;
    for (const KnapsackGroup& group : groups) {
      const auto [low, high] = std::ranges::minmax(group, {}, &KnapsackOption::price);
      span += high.price - low.price;
    }
    const double rounding = span / 4000 * static_cast<double>(groups.size());
    int all = 1;
    for (std::size_t g = 0; g < groups.size(); ++g) all *= 3;
    for (int code = 0; code < all; ++code) {
      double total_price = 0, total_noise = 0;
      for (int rest = code; const KnapsackGroup& group : groups) {
        total_price += group[static_cast<std::size_t>(rest % 3)].price;
        total_noise += group[static_cast<std::size_t>(rest % 3)].noise;
        rest /= 3;
      }
      double best = 1e300;
      for (const KnapsackChoice& choice : choices) {
        if (choice.price <= total_price + rounding) best = std::min(best, choice.noise);
      }
      EXPECT_LE(best, total_noise + 1e-9);
    }
  }
}

}  // namespace
}  // namespace cboard::tune
