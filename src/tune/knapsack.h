// A multiple-choice knapsack: chooses one option of each group, so that the total price is within a
// budget and the total noise is as low as possible.
//
//   // An operator stays in 8 bits, or becomes float for 300 bytes.
//   SolveKnapsack({{{.price = 0, .noise = 0.1}, {.price = 300, .noise = 0}}, …});
#pragma once

#include <cstddef>
#include <vector>

namespace cboard::tune {

struct KnapsackOption {
  double price = 0;
  double noise = 0;  // Negative if it reduces the noise.
};
using KnapsackGroup = std::vector<KnapsackOption>;  // Must not be empty.

struct KnapsackChoice {
  std::vector<std::size_t> options;  // Chosen option of each group.
  double price = 0;
  double noise = 0;
};

// Returns the best choices for all budgets, with ascending price and descending noise. Prices are
// rounded up to 1/4096 of the difference between the most and the least expensive choice, so the
// real price is never above the budget. Except for this rounding, no other choice of the same price
// has less noise.
std::vector<KnapsackChoice> SolveKnapsack(const std::vector<KnapsackGroup>& groups);

}  // namespace cboard::tune
