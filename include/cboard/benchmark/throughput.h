// Throughput of several variants: many inferences at the same time, batches included.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/statistics.h"

namespace cboard::benchmark {

struct ThroughputSubject {
  std::string name;
  std::size_t batch = 1;  // Samples of one run.
  // One for each stream; each is called from a thread of its own.
  std::vector<std::function<Result<void>()>> streams;
};

struct ThroughputOptions {
  double max_seconds = 60;
  double window_seconds = 0.25;  // All streams of one variant run for about this long.
  double max_relative_width = 0.01;
  std::uint64_t seed = 0;
  std::function<bool(double done)> progress;  // As in LatencyOptions.
};

struct VariantThroughput {
  std::string name;
  double samples_per_second = 0;  // The median of the windows.
  std::size_t streams = 0;
  std::size_t batch = 1;
  std::size_t window_count = 0;
  RatioEstimate ratio;  // Variant by baseline: more is better.
  Verdict verdict = Verdict::kCannotTell;
};

// In the order of the subjects; the first is the baseline. Windows are interleaved as the blocks of
// MeasureLatency are. Fails with the first error of a stream.
Result<std::vector<VariantThroughput>> MeasureThroughput(
    std::span<const ThroughputSubject> subjects, const ThroughputOptions& options);

}  // namespace cboard::benchmark
