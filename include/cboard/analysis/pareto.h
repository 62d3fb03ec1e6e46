// Computes the Pareto front: the points that no other point dominates.
//
//   const auto front = ComputeParetoFront({Better::kLower, Better::kHigher}, sizes_and_accuracies);
//
// One point dominates another if it is at least as good in every objective and better in one. Equal
// points do not dominate each other, so either both are in the Pareto front or neither.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"

namespace cboard::analysis {

struct ParetoFront {
  // Indices of the points in the Pareto front, sorted by the first objective, best first. Points
  // with an equal first objective are sorted by the other objectives.
  std::vector<std::size_t> front = {};
  // For each point: the index of a point that dominates it; nullopt for points in the Pareto front.
  std::vector<std::optional<std::size_t>> dominated_by = {};
  std::vector<std::size_t> incomplete = {};  // Points with a value that is missing or NaN.
};

// Computes the Pareto front. `values` has a row per point and a column per objective. A point that
// lacks a value can neither dominate nor be dominated, so it is listed only in `incomplete`.
// Infinite values are valid.
//
// Takes O(n log n) for one and two objectives; for more objectives, O(n log n + n * size of the
// Pareto front).
//
// Fails with kInvalidArgument if there are no objectives, if an objective has no direction, or if
// the number of values is not a multiple of the number of objectives.
Result<ParetoFront> ComputeParetoFront(std::span<const compression::Better> objectives,
                                       std::span<const std::optional<double>> values);

}  // namespace cboard::analysis
