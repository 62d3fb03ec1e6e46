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

constexpr double kMaxInterruptedShare = 0.05;  // Share of a run's time.
constexpr double kMinInterruptionSeconds = 20e-6;
constexpr double kMaxIdleShare = 0.02;  // Share of all runs' time, for verdicts from wall time.
constexpr std::size_t kMaxBurst = 200;
constexpr double kMillisecond = 1e-3;

struct RunTime {
  double wall_seconds = 0;
  double cpu_seconds = 0;
};

// The measurement of one variant while it goes on.
struct Series {
  SampleStore all;
  SampleStore undisturbed;
  std::size_t interrupted = 0;
  std::size_t burst = 1;
  double wall_sum = 0;
  double cpu_sum = 0;
  WarmUp warm_up;
  std::vector<double> block_wall, block_cpu;  // Runs of the current block.
  // Medians of all blocks.
  std::vector<double> wall, cpu;
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
    const double start = WallSeconds();
    CBOARD_RETURN_IF_ERROR(WarmUpAll());
    const MachineWatch watch(options_.machine, options_.cpus);
    const double measuring = WallSeconds();
    double next_look = 0;
    while (true) {
      CBOARD_RETURN_IF_ERROR(RunBlock());
      const double now = WallSeconds();
      if (now < next_look && now - start < options_.max_seconds) continue;
      next_look = now + kLookSeconds;
      const double done = (now - start) / options_.max_seconds;
      if (options_.progress && !options_.progress(std::min(done, 1.0))) {
        result_.is_stopped = true;
        break;
      }
      if (done >= 1) break;
      if (now - measuring >= options_.min_seconds && IsPreciseEnough()) break;
    }
    result_.seconds = WallSeconds() - start;
    result_.disturbances = watch.Disturbances();
    Summarize();
    return std::move(result_);
  }

 private:
  static constexpr double kLookSeconds = 0.25;

  Result<RunTime> RunOnce(std::size_t variant, std::size_t sample) {
    const double cpu = CpuSeconds();
    const double wall = WallSeconds();
    CBOARD_RETURN_IF_ERROR(subjects_[variant].run(sample));
    const double wall_end = WallSeconds();
    return RunTime{wall_end - wall, CpuSeconds() - cpu};
  }

  double CpuSeconds() const {
    return options_.is_single_threaded ? ThreadSeconds() : ProcessSeconds();
  }

  Result<void> WarmUpAll() {
    const double seconds =
        std::min(10.0, options_.max_seconds / 4) / static_cast<double>(subjects_.size());
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const auto run = [&]() -> Result<double> {
        CBOARD_ASSIGN_OR_RETURN(const RunTime time, RunOnce(i, 0));
        return options_.is_single_threaded ? time.cpu_seconds : time.wall_seconds;
      };
      auto warm = RunUntilFlat(run, seconds);
      if (!warm) return Fail(Annotate(std::move(warm).error(), subjects_[i].name));
      Series& series = series_[i];
      series.warm_up = *warm;
      // By the wall: where other programs take most of the time, bursts get shorter, so that there
      // are still many blocks.
      const double run_seconds = warm->elapsed_seconds / static_cast<double>(warm->run_count);
      series.burst =
          static_cast<std::size_t>(std::clamp(options_.burst_seconds / std::max(run_seconds, 1e-9),
                                              1.0, static_cast<double>(kMaxBurst)));
    }
    return {};
  }

  Result<void> RunBlock() {
    const std::size_t sample = result_.block_count % options_.sample_count;
    std::vector<std::size_t> order(subjects_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random_);
    order.insert(order.end(), order.rbegin(), order.rend());
    for (const std::size_t variant : order) {
      if (auto visited = Visit(variant, sample); !visited) {
        return Fail(Annotate(std::move(visited).error(), subjects_[variant].name));
      }
    }
    for (Series& series : series_) {
      series.wall.push_back(Median(std::exchange(series.block_wall, {})));
      series.cpu.push_back(Median(std::exchange(series.block_cpu, {})));
    }
    ++result_.block_count;
    return {};
  }

  Result<void> Visit(std::size_t variant, std::size_t sample) {
    // Threads of the other variants still wait for work, and take time from this one.
    if (!options_.is_single_threaded) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CBOARD_RETURN_IF_ERROR(subjects_[variant].run(sample));
    Series& series = series_[variant];
    for (std::size_t i = 0; i < series.burst; ++i) {
      CBOARD_ASSIGN_OR_RETURN(const RunTime time, RunOnce(variant, sample));
      series.block_wall.push_back(time.wall_seconds);
      series.block_cpu.push_back(time.cpu_seconds);
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

  // Logarithms of baseline time / variant time, one per block.
  std::vector<double> LogRatios(std::size_t variant, TimeBasis basis) const {
    const bool is_cpu = basis == TimeBasis::kCpu;
    const std::vector<double>& baseline = is_cpu ? series_[0].cpu : series_[0].wall;
    const std::vector<double>& times = is_cpu ? series_[variant].cpu : series_[variant].wall;
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
                             .cpu_median_ms = Median(series.cpu) / kMillisecond,
                             .warmup_runs = series.warm_up.run_count,
                             .is_warm = series.warm_up.is_flat};
      if (i == 0) {
        latency.speedup = latency.cpu_speedup = {1, 1, 1, result_.block_count};
      } else {
        latency.cpu_speedup = EstimateRatio(LogRatios(i, TimeBasis::kCpu), options_.seed);
        latency.speedup = result_.basis == TimeBasis::kCpu
                              ? latency.cpu_speedup
                              : EstimateRatio(LogRatios(i, TimeBasis::kWall), options_.seed);
        latency.verdict = VerdictOf(latency.speedup, options_.min_effect);
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
  LatencyComparison result_;
};

}  // namespace

std::string_view NameOf(TimeBasis basis) { return basis == TimeBasis::kCpu ? "cpu" : "wall"; }

Result<LatencyComparison> MeasureLatency(std::span<const LatencySubject> subjects,
                                         const LatencyOptions& options) {
  if (subjects.empty() || options.sample_count == 0) {
    return Fail(ErrorCode::kInvalidArgument, "there is no variant or no sample to measure");
  }
  return Measurement(subjects, options).Measure();
}

}  // namespace cboard::benchmark
