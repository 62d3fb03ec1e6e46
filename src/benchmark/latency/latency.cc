#include "cboard/benchmark/latency.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "benchmark/latency/run_clock.h"
#include "benchmark/latency/sample_store.h"
#include "benchmark/latency/warm_up.h"

namespace cboard::benchmark {
namespace {

constexpr double kMaxInterruptedShare = 0.05;  // Maximum share of a run's time off its CPU.
constexpr double kMinInterruptionSeconds = 20e-6;
constexpr double kMaxIdleShare = 0.02;  // Maximum share of time off the CPU for wall-time verdicts.
constexpr std::size_t kMinBurst = 8;    // Minimum runs per visit, unless they take too long.
constexpr std::size_t kMaxBurst = 200;
// On a busy machine, copies of one file differ by up to 2 %, because other programs use the caches.
constexpr double kBusyMinEffect = 0.02;
constexpr double kMillisecond = 1e-3;

struct RunTime {
  double wall_seconds = 0;
  double cpu_seconds = 0;
};

// Times of the runs in the current visit (a variant's turn), and of all blocks so far. The time of
// a block is the geometric mean of the medians of its two visits.
struct BlockTimes {
  std::vector<double> visit;
  double first_visit = 0;
  std::vector<double> blocks;
  std::vector<double> log_copies;  // Per block: log of time(run) / time(run_copy).

  void EndVisit(bool is_second, bool is_copy) {
    const double median = Median(std::exchange(visit, {}));
    if (!is_second) {
      first_visit = median;
      return;
    }
    blocks.push_back(std::sqrt(first_visit * median));
    log_copies.push_back(is_copy ? std::log(first_visit / median) : std::log(median / first_visit));
  }

  void Truncate(std::size_t block_count) {
    visit.clear();
    blocks.resize(std::min(block_count, blocks.size()));
    log_copies.resize(blocks.size());
  }
};

// The measurements of one variant.
struct Series {
  SampleStore all;
  SampleStore undisturbed;
  std::size_t interrupted = 0;
  double wall_sum = 0;
  double cpu_sum = 0;
  WarmUp warm_up;
  BlockTimes wall, cpu;
};

class Measurement {
 public:
  Measurement(std::span<const LatencySubject> subjects, const LatencyOptions& options)
      : subjects_(subjects), options_(options), random_(options.seed) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      series_.push_back({.all = SampleStore(kMaxKeptSamples, options.seed + i),
                         .undisturbed = SampleStore(kMaxKeptSamples, options.seed + i)});
    }
  }

  Result<LatencyComparison> Measure() {
    start_ = WallSeconds();
    clock_seconds_ = CostOfClocks();
    CBOARD_RETURN_IF_ERROR(WarmUpAll());
    const MachineWatch watch(options_.machine, options_.cpus);
    const double measuring = WallSeconds();
    double next_check = 0;
    while (!IsStopped()) {
      CBOARD_RETURN_IF_ERROR(RunBlock());
      const double now = WallSeconds();
      if (now - start_ >= options_.max_seconds) break;
      if (now < next_check || now - measuring < options_.min_seconds) continue;
      next_check = now + kLookSeconds;
      if (IsPreciseEnough()) break;
    }
    if (result_.block_count == 0) {
      return Fail(ErrorCode::kUnavailable,
                  "the latency measurement was interrupted before its first block of runs ended; "
                  "there is no result");
    }
    result_.seconds = WallSeconds() - start_;
    result_.disturbances = watch.Disturbances();
    Summarize();
    return std::move(result_);
  }

 private:
  static constexpr double kLookSeconds = 0.25;

  // Reports the progress several times per second, even within a block, because blocks of slow
  // models take minutes.
  bool IsStopped() {
    const double now = WallSeconds();
    if (result_.is_stopped || !options_.progress || now < next_look_) return result_.is_stopped;
    next_look_ = now + kLookSeconds;
    const double done = std::min((now - start_) / options_.max_seconds, 1.0);
    result_.is_stopped = !options_.progress(done);
    return result_.is_stopped;
  }

  Result<RunTime> RunOnce(std::size_t variant, std::size_t sample, bool is_copy) {
    const double cpu = CpuSeconds();
    const double wall = WallSeconds();
    CBOARD_RETURN_IF_ERROR(RunOf(variant, is_copy)(sample));
    const double wall_end = WallSeconds();
    const double cpu_seconds = CpuSeconds() - cpu;
    constexpr double kMinSeconds = 1e-9;
    return RunTime{
        .wall_seconds = std::max(kMinSeconds, wall_end - wall - clock_seconds_.wall_seconds),
        .cpu_seconds = std::max(kMinSeconds, cpu_seconds - clock_seconds_.cpu_seconds)};
  }

  // Returns the times that an empty run would have. The CPU clock is a system call, which takes as
  // long as a small network.
  RunTime CostOfClocks() const {
    constexpr std::size_t kCalls = 1001;
    std::vector<double> wall_times, cpu_times;
    for (std::size_t i = 0; i < kCalls; ++i) {
      const double cpu = CpuSeconds();
      const double wall = WallSeconds();
      const double wall_end = WallSeconds();
      cpu_times.push_back(CpuSeconds() - cpu);
      wall_times.push_back(wall_end - wall);
    }
    return {.wall_seconds = Median(std::move(wall_times)),
            .cpu_seconds = Median(std::move(cpu_times))};
  }

  double CpuSeconds() const {
    return options_.is_single_threaded ? ThreadSeconds() : ProcessSeconds();
  }

  Result<void> WarmUpAll() {
    const double seconds =
        std::min(10.0, options_.max_seconds / 4) / static_cast<double>(subjects_.size());
    for (std::size_t i = 0; i < subjects_.size() && !IsStopped(); ++i) {
      // Alternates between the two copies, because both must be warmed up.
      const auto run = [&, is_copy = true]() mutable -> Result<double> {
        is_copy = !is_copy;
        CBOARD_ASSIGN_OR_RETURN(const RunTime time, RunOnce(i, 0, is_copy));
        return options_.is_single_threaded ? time.cpu_seconds : time.wall_seconds;
      };
      auto warm = RunUntilFlat(run, seconds, [this] { return IsStopped(); });
      if (!warm) return Fail(Annotate(std::move(warm).error(), subjects_[i].name));
      series_[i].warm_up = *warm;
    }
    ChooseBursts();
    return {};
  }

  // Chooses the number of runs in a row (a burst), so that a burst takes burst_seconds on average.
  // If other programs take most of the CPU time, bursts are shorter, so that there are still many
  // blocks. All variants have the same number of runs: the first runs of a burst find cold caches,
  // so a variant with fewer runs would seem slower than it is.
  void ChooseBursts() {
    double elapsed_seconds = 0, own_seconds = 0, mean_seconds = 1e-9, max_seconds = 1e-9;
    for (const Series& series : series_) {
      const WarmUp& warm_up = series.warm_up;
      elapsed_seconds += warm_up.elapsed_seconds;
      own_seconds += warm_up.run_seconds * static_cast<double>(warm_up.run_count);
      mean_seconds += warm_up.run_seconds / static_cast<double>(series_.size());
      max_seconds = std::max(max_seconds, warm_up.run_seconds);
    }
    const double slowdown = std::max(1.0, elapsed_seconds / std::max(own_seconds, 1e-9));
    const double runs = options_.burst_seconds / (mean_seconds * slowdown);
    const double min_runs =
        std::clamp(options_.burst_seconds / 2 / max_seconds, 1.0, static_cast<double>(kMinBurst));
    burst_ = static_cast<std::size_t>(std::clamp(runs, min_runs, static_cast<double>(kMaxBurst)));
  }

  // A block that is interrupted by the user does not count.
  Result<void> RunBlock() {
    const std::size_t sample = result_.block_count % options_.sample_count;
    std::vector<std::size_t> order(subjects_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random_);
    order.insert(order.end(), order.rbegin(), order.rend());
    // Either copy may be first in a block, chosen at random. Otherwise, the difference between the
    // copies would include the difference between first and second visits.
    const bool is_copy_first = random_() % 2 == 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_second = i >= subjects_.size();
      if (auto visited = Visit(order[i], sample, is_second, is_second != is_copy_first); !visited) {
        return Fail(Annotate(std::move(visited).error(), subjects_[order[i]].name));
      }
      if (result_.is_stopped) break;
    }
    if (result_.is_stopped) {
      for (Series& series : series_) {
        series.wall.Truncate(result_.block_count);
        series.cpu.Truncate(result_.block_count);
      }
    } else {
      ++result_.block_count;
    }
    return {};
  }

  const std::function<Result<void>(std::size_t)>& RunOf(std::size_t variant, bool is_copy) const {
    const LatencySubject& subject = subjects_[variant];
    return is_copy && subject.run_copy ? subject.run_copy : subject.run;
  }

  Result<void> Visit(std::size_t variant, std::size_t sample, bool is_second, bool is_copy) {
    // Waits until the idle threads of the previous variant sleep: they would take CPU time from
    // this variant.
    if (!options_.is_single_threaded) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CBOARD_RETURN_IF_ERROR(RunOf(variant, is_copy)(sample));
    Series& series = series_[variant];
    for (std::size_t i = 0; i < burst_; ++i) {
      if (IsStopped()) return {};
      CBOARD_ASSIGN_OR_RETURN(const RunTime time, RunOnce(variant, sample, is_copy));
      series.wall.visit.push_back(time.wall_seconds);
      series.cpu.visit.push_back(time.cpu_seconds);
      series.wall_sum += time.wall_seconds;
      series.cpu_sum += time.cpu_seconds;
      series.all.Add(time.wall_seconds / kMillisecond);
      const double off_cpu = time.wall_seconds - time.cpu_seconds;
      if (options_.is_single_threaded && off_cpu > kMinInterruptionSeconds &&
          off_cpu > kMaxInterruptedShare * time.wall_seconds) {
        ++series.interrupted;
      } else {
        series.undisturbed.Add(time.wall_seconds / kMillisecond);
      }
    }
    series.wall.EndVisit(is_second, is_copy);
    series.cpu.EndVisit(is_second, is_copy);
    return {};
  }

  TimeBasis Basis() const {
    double wall = 0, cpu = 0;
    for (const Series& series : series_) {
      wall += series.wall_sum;
      cpu += series.cpu_sum;
    }
    const bool is_interrupted = options_.is_single_threaded && wall > (1 + kMaxIdleShare) * cpu;
    return is_interrupted ? TimeBasis::kCpu : TimeBasis::kWall;
  }

  const BlockTimes& TimesOf(std::size_t variant, TimeBasis basis) const {
    return basis == TimeBasis::kCpu ? series_[variant].cpu : series_[variant].wall;
  }

  double MinEffect() const {
    const bool is_busy = result_.basis == TimeBasis::kCpu;
    return std::max(options_.min_effect, is_busy ? kBusyMinEffect : 0.0);
  }

  double CopyDifference(std::size_t variant) const {
    if (!subjects_[variant].run_copy) return 0;
    const RatioEstimate ratio = EstimateRatioQuickly(TimesOf(variant, result_.basis).log_copies);
    return ratio.ratio > 0 ? std::max(ratio.ratio, 1 / ratio.ratio) - 1 : 0;
  }

  // Returns the logarithm of baseline time / variant time for each block.
  std::vector<double> LogRatios(std::size_t variant, TimeBasis basis) const {
    const std::vector<double>& baseline = TimesOf(0, basis).blocks;
    const std::vector<double>& times = TimesOf(variant, basis).blocks;
    std::vector<double> ratios(times.size());
    std::ranges::transform(baseline, times, ratios.begin(),
                           [](double b, double v) { return std::log(b / v); });
    return ratios;
  }

  bool IsPreciseEnough() const {
    if (result_.block_count < kMinBlocks) return false;
    const TimeBasis basis = Basis();
    for (std::size_t i = 0; i < series_.size(); ++i) {
      if (series_[i].all.count() < options_.min_runs) return false;
      if (i == 0) continue;
      const RatioEstimate estimate = EstimateRatioQuickly(LogRatios(i, basis));
      if (estimate.RelativeWidth() > options_.max_relative_width) return false;
    }
    return true;
  }

  void Summarize() {
    result_.basis = Basis();
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const Series& series = series_[i];
      const bool is_mostly_undisturbed = 2 * series.undisturbed.count() >= series.all.count();
      const SampleStore& store = is_mostly_undisturbed ? series.undisturbed : series.all;
      VariantLatency latency{.name = subjects_[i].name,
                             .mean_ms = store.mean(),
                             .std_ms = store.deviation(),
                             .min_ms = store.min(),
                             .max_ms = store.max(),
                             .samples_ms = store.Ascending(),
                             .run_count = series.all.count(),
                             .interrupted_count = series.interrupted,
                             .mean_all_ms = series.all.mean(),
                             .cpu_median_ms = Median(series.cpu.blocks) / kMillisecond,
                             .warmup_runs = series.warm_up.run_count,
                             .is_warm = series.warm_up.is_flat,
                             .copy_difference = CopyDifference(i)};
      if (i == 0) {
        latency.speedup = latency.wall_speedup =
            latency.cpu_speedup = {1, 1, 1, result_.block_count};
      } else {
        latency.cpu_speedup = EstimateRatio(LogRatios(i, TimeBasis::kCpu), options_.seed);
        latency.wall_speedup = EstimateRatio(LogRatios(i, TimeBasis::kWall), options_.seed);
        latency.speedup =
            result_.basis == TimeBasis::kCpu ? latency.cpu_speedup : latency.wall_speedup;
        latency.verdict = VerdictOf(
            latency.speedup,
            std::max({MinEffect(), latency.copy_difference, result_.variants[0].copy_difference}));
      }
      if (!latency.is_warm) {
        result_.disturbances.push_back(
            "the times of " + latency.name + " did not become steady within " +
            std::to_string(latency.warmup_runs) + " warm-up runs; give more time with --time");
      }
      result_.variants.push_back(std::move(latency));
    }
  }

  std::span<const LatencySubject> subjects_;
  const LatencyOptions& options_;
  std::mt19937_64 random_;
  std::vector<Series> series_;
  std::size_t burst_ = 1;  // Runs of one visit.
  RunTime clock_seconds_;  // Part of each measured time, and subtracted from it.
  double start_ = 0;
  double next_look_ = 0;
  LatencyComparison result_;
};

}  // namespace

std::string_view NameOf(TimeBasis basis) { return basis == TimeBasis::kCpu ? "cpu" : "wall"; }

Result<LatencyComparison> MeasureLatency(std::span<const LatencySubject> subjects,
                                         const LatencyOptions& options) {
  if (subjects.empty() || options.sample_count == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "the latency measurement needs at least one variant and one sample");
  }
  return Measurement(subjects, options).Measure();
}

}  // namespace cboard::benchmark
