#include "benchmark/latency/warm_up.h"

#include <algorithm>
#include <vector>

#include "benchmark/latency/run_clock.h"
#include "cboard/benchmark/statistics.h"

namespace cboard::benchmark {

Result<WarmUp> RunUntilFlat(const std::function<Result<double>()>& run, double max_seconds) {
  constexpr double kMaxChange = 0.02;
  constexpr std::size_t kFlatWindows = 3, kMinRuns = 5;
  constexpr double kWindowSeconds = 0.02;
  const double start = WallSeconds();
  WarmUp result;
  std::vector<double> medians;
  while (true) {
    std::vector<double> window;
    const double window_start = WallSeconds();
    while (window.size() < kMinRuns || WallSeconds() - window_start < kWindowSeconds) {
      CBOARD_ASSIGN_OR_RETURN(const double seconds, run());
      window.push_back(seconds);
      ++result.run_count;
      if (WallSeconds() - start > max_seconds) break;
    }
    medians.push_back(Median(std::move(window)));
    result.run_seconds = medians.back();
    if (medians.size() >= kFlatWindows) {
      const auto [least, most] = std::minmax_element(medians.end() - kFlatWindows, medians.end());
      result.is_flat = *most <= *least * (1 + kMaxChange);
    }
    result.elapsed_seconds = WallSeconds() - start;
    if (result.is_flat || result.elapsed_seconds > max_seconds) return result;
  }
}

}  // namespace cboard::benchmark
