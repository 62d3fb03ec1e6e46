// Latency of several variants, measured against each other in one process.
//
//   std::vector<LatencySubject> subjects;   // One per variant, the baseline first.
//   CBOARD_ASSIGN_OR_RETURN(const LatencyComparison latency, MeasureLatency(subjects, {}));
//   latency.variants[1].speedup;            // 1.42, 95 % interval 1.40 … 1.44
//   latency.variants[1].verdict;            // Verdict::kFaster
//
// A block runs every variant twice, in a random order and then in the reverse order (ABBA), so that
// a slow drift of the machine cancels out. Each visit is one run that is not counted, because the
// other variants have used the caches, and then a burst of runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/machine.h"
#include "cboard/benchmark/statistics.h"

namespace cboard::benchmark {

// A variant to measure. `run` computes one inference on sample `sample_index` and leaves nothing
// behind that makes the next one slower.
struct LatencySubject {
  std::string name;
  std::function<Result<void>(std::size_t sample_index)> run;
};

struct LatencyOptions {
  double max_seconds = 60;  // Including the warm-up.
  double min_seconds = 1;   // Shortest measurement.
  // Measuring ends early when the intervals of all speedups are at most this wide, relative to the
  // speedup.
  double max_relative_width = 0.01;
  std::size_t min_runs = 662;   // Runs of each variant; p99 needs as many.
  double burst_seconds = 0.01;  // The runs of one visit take about this long.
  std::size_t sample_count = 1;
  double min_effect = kDefaultMinEffect;
  std::uint64_t seed = 0;

  // One thread runs the inference: its CPU time is then the latency of a machine that does nothing
  // else, and interrupted runs can be told from others.
  bool is_single_threaded = true;

  MachineRoots machine;
  std::vector<int> cpus;  // Those that are pinned; for MachineWatch.

  // Told how much of the time is over, 0…1, several times a second. False ends the measurement
  // with the blocks that are there.
  std::function<bool(double done)> progress;
};

// The times that decide a verdict.
enum class TimeBasis { kWall, kCpu };
std::string_view NameOf(TimeBasis basis);  // "wall", "cpu"

struct VariantLatency {
  std::string name;
  // Over the runs that nothing interrupted, if they are at least half of the runs; else over all
  // runs.
  double mean_ms = 0;
  double std_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  std::vector<double> samples_ms;  // Ascending; a random choice of kMaxKeptSamples of them.
  std::size_t run_count = 0;
  // Runs that were off their CPU for more than 5 % of their time; 0 if there are several threads.
  std::size_t interrupted_count = 0;
  double mean_all_ms = 0;    // Mean of all runs.
  double cpu_median_ms = 0;  // CPU time of the thread, or of the process with several threads.

  std::size_t warmup_runs = 0;
  bool is_warm = false;  // The running median became flat.

  RatioEstimate speedup;      // Baseline time by variant time; 1 for the baseline.
  RatioEstimate cpu_speedup;  // The same of CPU times.
  Verdict verdict = Verdict::kCannotTell;
};

inline constexpr std::size_t kMaxKeptSamples = 100'000;

struct LatencyComparison {
  std::vector<VariantLatency> variants;  // In the order of the subjects; the first is the baseline.
  TimeBasis basis = TimeBasis::kWall;    // Clock of speedups and verdicts.
  std::size_t block_count = 0;
  double seconds = 0;
  bool is_stopped = false;                // `progress` has ended it.
  std::vector<std::string> disturbances;  // From MachineWatch, and from a warm-up that did not end.
};

// Speedups and verdicts come from wall time, unless one thread runs the inference and was off its
// CPU for more than 2 % of the time: then from CPU time. That rule looks at all variants together,
// so that it favors none of them.
//
// Fails with the first error of a subject, and with kInvalidArgument when there is no subject.
Result<LatencyComparison> MeasureLatency(std::span<const LatencySubject> subjects,
                                         const LatencyOptions& options);

}  // namespace cboard::benchmark
