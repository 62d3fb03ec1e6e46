// Runs a model before a measurement until its run time no longer changes.
#pragma once

#include <cstddef>
#include <functional>

#include "cboard/base/result.h"

namespace cboard::benchmark {

struct WarmUp {
  std::size_t run_count = 0;
  bool is_flat = false;        // The median run time became constant in time.
  double run_seconds = 0;      // The smallest median of a window: other programs disturb it least.
  double elapsed_seconds = 0;  // Wall time of all runs, including interruptions.
};

// Calls `run`, which returns the seconds that a run took, until the run time is constant: the
// medians of three consecutive windows of runs differ by at most 2 %. Ends earlier after
// `max_seconds`, or when `stop_requested` returns true; it is called after each run.
Result<WarmUp> RunUntilFlat(const std::function<Result<double>()>& run, double max_seconds,
                            const std::function<bool()>& stop_requested = nullptr);

}  // namespace cboard::benchmark
