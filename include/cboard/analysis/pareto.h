// The choices worth considering: those that no other beats.
//
//   const auto front = ComputeParetoFront({Better::kLower, Better::kHigher}, sizes_and_accuracies);
//
// One point dominates another when it is at least as good by every objective and better by one.
// Equal points do not dominate each other, so both are in the front or neither is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/metrics.h"

namespace cboard::analysis {

struct ParetoFront {
  std::vector<std::size_t> front = {};  // By the first objective, best first; ties by the others.
  std::vector<std::optional<std::size_t>> dominated_by = {};  // One per point: who beats it.
  std::vector<std::size_t> incomplete = {};  // Points with a value that is missing or NaN.
};

// `values` holds a row per point, a column per objective. A point without all values can neither
// dominate nor be dominated: it is in `incomplete` and nowhere else. Infinities count.
//
// O(n log n) for one and two objectives; for more, O(n log n + n * front).
//
// Fails with kInvalidArgument without objectives, when one has no direction, and when the number
// of values is not a multiple of theirs.
Result<ParetoFront> ComputeParetoFront(std::span<const compression::Better> objectives,
                                       std::span<const std::optional<double>> values);

}  // namespace cboard::analysis
