// Latency of several variants, measured against each other in one process.
//
//   std::vector<LatencySubject> subjects;   // One per variant, the baseline first.
//   CBOARD_ASSIGN_OR_RETURN(const LatencyComparison latency, MeasureLatency(subjects, {}));
//   latency.variants[1].speedup;            // 1.42, 95 % interval 1.40 … 1.44
//   latency.variants[1].verdict;            // Verdict::kFaster
//
// A block runs every variant twice, in a random order and then in the reverse order (ABBA), so that
// a slow drift of the machine cancels out. At each of its two turns, a variant runs once uncounted,
// because other variants have used the CPU caches, and then several times in a row, all counted.
//
// Two loads of the same file differ in speed by up to 1 %, sometimes more, because their memory has
// different addresses. If a subject has a second copy, every block measures both copies: their mean
// halves this effect, and a verdict needs a speedup larger than the difference between the copies.
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

// A variant to measure. `run` computes one inference on sample `sample_index`, and must not make
// the next inference slower.
struct LatencySubject {
  std::string name;
  std::function<Result<void>(std::size_t sample_index)> run;
  // Runs a second copy of the model, loaded from the same file; empty if there is no second copy.
  std::function<Result<void>(std::size_t sample_index)> run_copy = {};
};

struct LatencyOptions {
  double max_seconds = 60;  // Including the warm-up.
  double min_seconds = 1;   // Shortest measurement.
  // The measurement ends early if the intervals of all speedups are at most this wide, relative to
  // the speedup.
  double max_relative_width = 0.01;
  std::size_t min_runs = 662;   // Minimum runs per variant; p99 needs this many.
  double burst_seconds = 0.01;  // Approximate duration of the runs of one visit, as a mean.
  std::size_t sample_count = 1;
  double min_effect = kDefaultMinEffect;
  std::uint64_t seed = 0;

  // True if one thread runs the inference. The CPU time of this thread then equals the latency on
  // an idle machine, and interrupted runs can be recognized.
  bool is_single_threaded = true;

  MachineRoots machine;
  std::vector<int> cpus;  // Pinned CPUs, for MachineWatch.

  // A function that is called several times a second, also during a block, with the elapsed share
  // of the time, 0…1. If it returns false, the measurement ends with the complete blocks so far.
  std::function<bool(double done)> progress;
};

// The clock that decides a verdict.
enum class TimeBasis { kWall, kCpu };
std::string_view NameOf(TimeBasis basis);  // "wall", "cpu"

struct VariantLatency {
  std::string name;
  // Statistics of the runs that were not interrupted. If more than half of the runs were
  // interrupted, statistics of all runs.
  double mean_ms = 0;
  double std_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  std::vector<double> samples_ms;  // Ascending; at most kMaxKeptSamples, chosen at random.
  std::size_t run_count = 0;
  // Number of runs that were off their CPU for more than 5 % of their time; 0 if there are several
  // threads.
  std::size_t interrupted_count = 0;
  double mean_all_ms = 0;    // Mean of all runs.
  double cpu_median_ms = 0;  // CPU time of the thread, or of the process with several threads.

  std::size_t warmup_runs = 0;
  bool is_warm = false;  // True if the running median became stable.

  RatioEstimate speedup;       // Baseline time / variant time; 1 for the baseline.
  RatioEstimate wall_speedup;  // Baseline wall time / variant wall time.
  RatioEstimate cpu_speedup;   // Baseline CPU time / variant CPU time.
  // Relative difference between the times of the two copies of the model: 0.01 means that the
  // slower copy takes 1 % longer. 0 if there is only one copy.
  double copy_difference = 0;
  Verdict verdict = Verdict::kCannotTell;
};

inline constexpr std::size_t kMaxKeptSamples = 100'000;

struct LatencyComparison {
  std::vector<VariantLatency> variants;  // In the order of the subjects; the first is the baseline.
  TimeBasis basis = TimeBasis::kWall;    // Clock for speedups and verdicts.
  std::size_t block_count = 0;
  double seconds = 0;
  bool is_stopped = false;  // `progress` ended the measurement.
  // Sentences about disturbances: from MachineWatch, and about a warm-up in which the latency did
  // not become stable.
  std::vector<std::string> disturbances;
};

// Measures the latency of all subjects. Speedups and verdicts use wall time, with one exception: if
// a single thread runs the inference and was off its CPU for more than 2 % of the time, speedups
// and verdicts use CPU time. The decision is made once for all variants, so it favors none of them.
//
// A verdict needs a difference above `min_effect` (2 % if it comes from CPU time) and above the
// copy_difference of the variant and of the baseline.
//
// Fails with the first error of a subject, with kInvalidArgument when there is no subject, and with
// kUnavailable when `progress` ends it before one block is complete.
Result<LatencyComparison> MeasureLatency(std::span<const LatencySubject> subjects,
                                         const LatencyOptions& options);

}  // namespace cboard::benchmark
