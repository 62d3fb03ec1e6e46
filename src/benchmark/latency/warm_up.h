// Runs before a measurement: until the time of a run does not change any more.
#pragma once

#include <cstddef>
#include <functional>

#include "cboard/base/result.h"

namespace cboard::benchmark {

struct WarmUp {
  std::size_t run_count = 0;
  bool is_flat = false;        // The running median became flat in time.
  double run_seconds = 0;      // The median of the last runs.
  double elapsed_seconds = 0;  // Wall time of all runs; on a busy machine more than their sum.
};

// Calls `run`, which returns the seconds that a run took, in windows of runs. The warm-up ends when
// the medians of three windows in a row differ by at most 2 %, or after `max_seconds`.
Result<WarmUp> RunUntilFlat(const std::function<Result<double>()>& run, double max_seconds);

}  // namespace cboard::benchmark
