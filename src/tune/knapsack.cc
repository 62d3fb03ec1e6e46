#include "tune/knapsack.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cboard::tune {

std::vector<KnapsackChoice> SolveKnapsack(const std::vector<KnapsackGroup>& groups) {
  constexpr std::size_t kSteps = 4096;
  double span = 0;
  std::vector<double> cheapest;
  for (const KnapsackGroup& group : groups) {
    const auto [low, high] = std::ranges::minmax(group, {}, &KnapsackOption::price);
    cheapest.push_back(low.price);
    span += high.price - low.price;
  }
  const double unit =
      span > 0 ? span / static_cast<double>(kSteps - std::min(groups.size(), kSteps / 2)) : 1;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  // least[b] is the lowest noise of the groups so far at a price of at most b units. chosen[g][b]
  // is the option of group g for it.
  std::vector<double> least(kSteps + 1, 0.0), next(kSteps + 1);
  std::vector<std::vector<std::uint8_t>> chosen(groups.size());
  const auto units_of = [&](std::size_t g, std::size_t option) {
    const double units = std::ceil((groups[g][option].price - cheapest[g]) / unit - 1e-9);
    return std::min(static_cast<std::size_t>(std::max(units, 0.0)), kSteps + 1);
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::ranges::fill(next, kInfinite);
    chosen[g].assign(kSteps + 1, 0);
    for (std::size_t option = 0; option < groups[g].size(); ++option) {
      const std::size_t units = units_of(g, option);
      for (std::size_t b = units; b <= kSteps; ++b) {
        const double noise = least[b - units] + groups[g][option].noise;
        if (noise >= next[b]) continue;
        next[b] = noise;
        chosen[g][b] = static_cast<std::uint8_t>(option);
      }
    }
    least.swap(next);
  }
  std::vector<KnapsackChoice> choices;
  double smallest = kInfinite;
  for (std::size_t budget = 0; budget <= kSteps; ++budget) {
    if (!(least[budget] < smallest)) continue;
    smallest = least[budget];
    KnapsackChoice choice{.options = std::vector<std::size_t>(groups.size()), .noise = smallest};
    std::size_t left = budget;
    for (std::size_t g = groups.size(); g-- > 0;) {
      choice.options[g] = chosen[g][left];
      choice.price += groups[g][choice.options[g]].price;
      left -= units_of(g, choice.options[g]);
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace cboard::tune
