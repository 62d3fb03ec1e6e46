// A multiple-choice knapsack: one option of each group, so that the price stays within a budget and
// the noise is smallest.
//
//   // An operator stays in 8 bits, or becomes float for 300 bytes.
//   SolveKnapsack({{{.price = 0, .noise = 0.1}, {.price = 300, .noise = 0}}, …});
#pragma once

#include <cstddef>
#include <vector>

namespace cboard::tune {

struct KnapsackOption {
  double price = 0;
  double noise = 0;  // Negative: less noise than without any change.
};
using KnapsackGroup = std::vector<KnapsackOption>;  // Not empty.

struct KnapsackChoice {
  std::vector<std::size_t> options;  // By group.
  double price = 0;
  double noise = 0;
};

// The best choice for every budget: prices ascend and noise descends. Prices are rounded up to
// 1/4096 of the difference between the most and the least expensive choice, so that a choice is
// never more expensive than its budget; apart from this, no choice of the same price has less
// noise.
std::vector<KnapsackChoice> SolveKnapsack(const std::vector<KnapsackGroup>& groups);

}  // namespace cboard::tune
