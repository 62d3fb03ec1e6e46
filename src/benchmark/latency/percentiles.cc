#include "benchmark/latency/percentiles.h"

#include <string>

namespace cboard::benchmark {

std::vector<compression::Omission> MissingPercentiles(const VariantLatency& latency) {
  std::vector<compression::Omission> missing;
  for (const Percentile& percentile : kPercentiles) {
    const std::size_t needed = MinSampleCount(percentile.share);
    if (latency.samples_ms.size() >= needed) continue;
    missing.push_back({std::string(percentile.key),
                       "not enough samples: " + std::to_string(latency.samples_ms.size()) + " of " +
                           std::to_string(needed)});
  }
  return missing;
}

}  // namespace cboard::benchmark
