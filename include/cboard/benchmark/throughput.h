// Measures the throughput of several variants: several inferences run at the same time, also with
// larger batches.
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
  std::size_t batch = 1;  // Samples per run.
  // Functions that run an inference; there is one function per stream, and each is called from its
  // own thread.
  std::vector<std::function<Result<void>()>> streams;
};

struct ThroughputOptions {
  double max_seconds = 60;
  double window_seconds = 0.25;  // Duration for which all streams of one variant run.
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
  RatioEstimate ratio;  // Variant / baseline; higher is better.
  Verdict verdict = Verdict::kCannotTell;
};

// Measures all subjects and returns them in the same order; the first is the baseline. The variants
// take turns in short time windows, in the same order as in MeasureLatency. Fails with the first
// error of a stream.
Result<std::vector<VariantThroughput>> MeasureThroughput(
    std::span<const ThroughputSubject> subjects, const ThroughputOptions& options);

}  // namespace cboard::benchmark
