#include "benchmark/latency/warm_up.h"

#include <algorithm>
#include <vector>

#include "benchmark/latency/run_clock.h"
#include "cboard/benchmark/statistics.h"

namespace cboard::benchmark {

Result<WarmUp> RunUntilFlat(const std::function<Result<double>()>& run, double max_seconds,
                            const std::function<bool()>& stop_requested) {
  constexpr double kMaxChange = 0.02;
  constexpr std::size_t kFlatWindows = 3, kMinRuns = 5;
  constexpr double kWindowSeconds = 0.02;
  const double start = WallSeconds();
  WarmUp result;
  std::vector<double> medians;
  bool is_stopped = false;
  while (true) {
    std::vector<double> window;
    const double window_start = WallSeconds();
    while (window.size() < kMinRuns || WallSeconds() - window_start < kWindowSeconds) {
      CBOARD_ASSIGN_OR_RETURN(const double seconds, run());
      window.push_back(seconds);
      ++result.run_count;
      is_stopped = stop_requested && stop_requested();
      if (is_stopped || WallSeconds() - start > max_seconds) break;
    }
    medians.push_back(Median(std::move(window)));
    result.run_seconds = *std::ranges::min_element(medians);
    if (medians.size() >= kFlatWindows) {
      const auto [least, most] = std::minmax_element(medians.end() - kFlatWindows, medians.end());
      result.is_flat = *most <= *least * (1 + kMaxChange);
    }
    result.elapsed_seconds = WallSeconds() - start;
    if (result.is_flat || is_stopped || result.elapsed_seconds > max_seconds) return result;
  }
}

}  // namespace cboard::benchmark
