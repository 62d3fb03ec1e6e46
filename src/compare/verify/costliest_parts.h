// Which parts of a compressed model cost its end most, found by halves: a set of parts is
// compressed while all others are in float, the set that costs most is cut in two, and so on.
// Errors of different parts add up, so the costliest part is in the costlier half; with n parts it
// takes about 2 log2(n) runs for each that is found, instead of n.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::compare {

struct PartCost {
  std::size_t part = 0;
  double cost = 0;  // On its own.
};

struct PartSearch {
  std::size_t max_parts = 3;  // Parts to find …
  std::size_t max_runs = 40;  // … in so many runs.
  double min_share = 0.1;     // Smallest share of the total cost that is reported.
};

// Finds the costliest among parts 0 to count - 1, the costliest first. Adjacent parts should be
// close in the network, because sets are ranges. `cost_of(first, end)` is the cost when only
// [first, end) is compressed: the power of the error, not its dB. The search ends at nullopt, at an
// error and at a non-finite cost, and returns the parts found so far.
std::vector<PartCost> FindCostliestParts(
    std::size_t count, const PartSearch& search,
    const std::function<std::optional<double>(std::size_t first, std::size_t end)>& cost_of);

}  // namespace cboard::compare
