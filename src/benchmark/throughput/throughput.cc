#include "cboard/benchmark/throughput.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "benchmark/latency/run_clock.h"

namespace cboard::benchmark {
namespace {

// Runs all streams of a variant until the time is over. Returns samples per second.
Result<double> RunWindow(const ThroughputSubject& subject, double seconds) {
  std::atomic<bool> is_over = false;
  std::vector<std::size_t> runs(subject.streams.size());
  std::vector<std::optional<Error>> errors(subject.streams.size());
  const double start = WallSeconds();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < subject.streams.size(); ++i) {
      threads.emplace_back([&, i] {
        // Each stream completes at least one run, even if it takes longer than the window.
        do {
          if (auto done = subject.streams[i](); !done) {
            errors[i] = std::move(done).error();
            is_over = true;
            return;
          }
          ++runs[i];
        } while (!is_over && WallSeconds() - start < seconds);
      });
    }
  }
  const double elapsed = WallSeconds() - start;
  for (std::optional<Error>& error : errors) {
    if (error) return Fail(Annotate(*std::move(error), subject.name));
  }
  const auto total = std::accumulate(runs.begin(), runs.end(), std::size_t{0});
  return static_cast<double>(total * subject.batch) / elapsed;
}

}  // namespace

Result<std::vector<VariantThroughput>> MeasureThroughput(
    std::span<const ThroughputSubject> subjects, const ThroughputOptions& options) {
  if (subjects.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the throughput measurement needs at least one variant");
  }
  std::mt19937_64 random(options.seed);
  std::vector<std::vector<double>> rates(subjects.size());
  const auto log_ratios = [&](std::size_t variant) {
    std::vector<double> ratios(rates[variant].size());
    std::ranges::transform(rates[variant], rates[0], ratios.begin(),
                           [](double v, double b) { return std::log(v / b); });
    return ratios;
  };
  const double start = WallSeconds();
  const auto done = [&] { return std::min((WallSeconds() - start) / options.max_seconds, 1.0); };
  bool is_stopped = false;
  for (const ThroughputSubject& subject : subjects) {  // Warm-up runs.
    CBOARD_RETURN_IF_ERROR(RunWindow(subject, options.window_seconds));
  }
  while (true) {
    std::vector<std::size_t> order(subjects.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    order.insert(order.end(), order.rbegin(), order.rend());
    std::vector<double> block(subjects.size());
    for (const std::size_t variant : order) {
      is_stopped = is_stopped || (options.progress && !options.progress(done()));
      if (is_stopped) break;
      CBOARD_ASSIGN_OR_RETURN(const double rate,
                              RunWindow(subjects[variant], options.window_seconds));
      block[variant] += rate / 2;
    }
    if (is_stopped) break;  // Half a block does not count.
    for (std::size_t i = 0; i < subjects.size(); ++i) rates[i].push_back(block[i]);
    if (done() >= 1) break;
    if (rates[0].size() < kMinBlocks) continue;
    bool is_precise = true;
    for (std::size_t i = 1; i < subjects.size() && is_precise; ++i) {
      is_precise =
          EstimateRatioQuickly(log_ratios(i)).RelativeWidth() <= options.max_relative_width;
    }
    if (is_precise) break;
  }
  if (rates[0].empty()) {
    return Fail(ErrorCode::kUnavailable,
                "the throughput measurement was interrupted before its first block of runs ended; "
                "there is no result");
  }
  std::vector<VariantThroughput> results;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    VariantThroughput result{.name = subjects[i].name,
                             .samples_per_second = Median(rates[i]),
                             .streams = subjects[i].streams.size(),
                             .batch = subjects[i].batch,
                             .window_count = rates[i].size()};
    result.ratio = i == 0 ? RatioEstimate{1, 1, 1, rates[0].size()}
                          : EstimateRatio(log_ratios(i), options.seed);
    if (i > 0) result.verdict = VerdictOf(result.ratio);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace cboard::benchmark
