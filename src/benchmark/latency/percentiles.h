// The latency percentiles that are reported.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "cboard/benchmark/latency.h"
#include "cboard/compression/metrics.h"

namespace cboard::benchmark {

struct Percentile {
  std::string_view key;
  double share;
};
inline constexpr std::array<Percentile, 4> kPercentiles = {{{"latency_p50_ms", 0.5},
                                                            {"latency_p90_ms", 0.9},
                                                            {"latency_p95_ms", 0.95},
                                                            {"latency_p99_ms", 0.99}}};

// Returns the percentiles that need more samples, with the reason: {"latency_p99_ms", "not enough
// samples: 120 of 662"}.
std::vector<compression::Omission> MissingPercentiles(const VariantLatency& latency);

}  // namespace cboard::benchmark
