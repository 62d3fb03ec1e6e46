// Finds the parts (weights or outputs of layers) of a compressed model that cause most of its
// output error, by bisection: a set of parts is compressed while all others are in float, and the
// set with the largest error is divided in two. Errors of different parts add up, so the part with
// the largest error is usually in the half with the larger error. For n parts, it takes about 2
// log2(n) runs per found part instead of n.
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
  double cost = 0;  // Error if only this part is compressed.
};

struct PartSearch {
  std::size_t max_parts = 3;  // Maximum number of parts to find …
  std::size_t max_runs = 40;  // … in at most this many runs.
  double min_share = 0.1;     // Minimum share of the total error of a reported part.
};

// Returns the parts with the largest errors, largest first, as numbers from 0 to count - 1.
// Adjacent numbers should be close in the model, because sets are ranges. `cost_of(first, end)`
// returns the error power (not in dB) of the model in which only the parts [first, end) are
// compressed. If `cost_of` returns nullopt or a non-finite value, the search ends with the parts
// found so far.
std::vector<PartCost> FindCostliestParts(
    std::size_t count, const PartSearch& search,
    const std::function<std::optional<double>(std::size_t first, std::size_t end)>& cost_of);

}  // namespace cboard::compare
