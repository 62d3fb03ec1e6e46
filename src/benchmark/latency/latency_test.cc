#include "cboard/benchmark/latency.h"

#include <gmock/gmock.h>

#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "benchmark/latency/run_clock.h"
#include "benchmark/latency/warm_up.h"
#include "testing/matchers.h"

namespace cboard::benchmark {
namespace {

using testing::FailsSaying;
using testing::Succeeds;

// Uses the CPU for about this long.
Result<void> Spin(double seconds) {
  const double end = ThreadSeconds() + seconds;
  while (ThreadSeconds() < end) {
  }
  return {};
}

// Ends when there are enough blocks for a rough verdict, however busy the machine is.
LatencyOptions Brief() {
  LatencyOptions options;
  options.max_seconds = 60;
  options.min_seconds = 0;
  options.max_relative_width = 0.2;
  options.min_runs = kMinBlocks;
  options.burst_seconds = 0.001;
  return options;
}

TEST(MeasureLatency, TellsAVariantThatTakesHalfTheTimeFromItsBaseline) {
  const std::vector<LatencySubject> subjects = {{"fp32", [](std::size_t) { return Spin(400e-6); }},
                                                {"int8", [](std::size_t) { return Spin(200e-6); }},
                                                {"slow", [](std::size_t) { return Spin(800e-6); }}};
  const auto compared = MeasureLatency(subjects, Brief());
  ASSERT_THAT(compared, Succeeds());
  EXPECT_EQ(compared->variants[1].verdict, Verdict::kFaster);
  EXPECT_EQ(compared->variants[2].verdict, Verdict::kSlower);
  EXPECT_NEAR(compared->variants[1].speedup.ratio, 2, 0.3);
  EXPECT_EQ(compared->variants[0].verdict, Verdict::kCannotTell);
  EXPECT_EQ(compared->variants[0].speedup.ratio, 1);
}

TEST(MeasureLatency, RunsEverySampleAndEveryVariantEquallyOften) {
  std::vector<std::multiset<std::size_t>> samples(2);
  std::vector<LatencySubject> subjects;
  for (std::size_t i = 0; i < 2; ++i) {
    subjects.push_back({std::to_string(i), [&samples, i](std::size_t sample) {
                          samples[i].insert(sample);
                          return Spin(100e-6);
                        }});
  }
  LatencyOptions options = Brief();
  options.sample_count = 3;
  const auto compared = MeasureLatency(subjects, options);
  ASSERT_THAT(compared, Succeeds());
  for (const auto& seen : samples) {
    EXPECT_TRUE(seen.contains(0) && seen.contains(1) && seen.contains(2));
    EXPECT_FALSE(seen.contains(3));
  }
  EXPECT_GT(compared->block_count, 3u);
}

TEST(MeasureLatency, RunsSlowAndFastVariantsEquallyOften) {
  const auto spin = [](double seconds) { return [=](std::size_t) { return Spin(seconds); }; };
  const std::vector<LatencySubject> subjects = {{"fast", spin(50e-6)}, {"slow", spin(150e-6)}};
  const auto compared = MeasureLatency(subjects, Brief());
  ASSERT_THAT(compared, Succeeds());
  EXPECT_EQ(compared->variants[0].run_count, compared->variants[1].run_count);
}

TEST(MeasureLatency, DoesNotFavorAVariantByTheLengthOfItsBursts) {
  // The first runs after another variant take three times as long, as with cold caches.
  std::size_t last = 2, since_change = 0;
  const auto run = [&](std::size_t variant, double seconds) {
    since_change = last == variant ? since_change + 1 : 0;
    last = variant;
    return Spin(since_change < 3 ? 3 * seconds : seconds);
  };
  const std::vector<LatencySubject> subjects = {
      {"fast", [&](std::size_t) { return run(0, 100e-6); }},
      {"slow", [&](std::size_t) { return run(1, 250e-6); }}};
  const auto compared = MeasureLatency(subjects, Brief());
  ASSERT_THAT(compared, Succeeds());
  EXPECT_NEAR(compared->variants[1].cpu_speedup.ratio, 100.0 / 250, 0.04);
}

TEST(MeasureLatency, RunsBothCopiesOfAVariantEquallyOften) {
  std::size_t first = 0, second = 0;
  const LatencySubject subject{"a",
                               [&](std::size_t) {
                                 ++first;
                                 return Spin(100e-6);
                               },
                               [&](std::size_t) {
                                 ++second;
                                 return Spin(100e-6);
                               }};
  const auto compared = MeasureLatency(std::vector{subject}, Brief());
  ASSERT_THAT(compared, Succeeds());
  // The warm-up may end after either of them.
  EXPECT_LE(first > second ? first - second : second - first, 1u);
}

TEST(MeasureLatency, ClaimsNoDifferenceThatCopiesOfOneFileHave) {
  const auto spin = [](double seconds) { return [=](std::size_t) { return Spin(seconds); }; };
  // By the mean of both copies, "b" takes 10 % longer; copies of "a" differ by 50 %.
  const std::vector<LatencySubject> subjects = {{"a", spin(400e-6), spin(600e-6)},
                                                {"b", spin(550e-6), spin(550e-6)},
                                                {"c", spin(2e-3), spin(2e-3)}};
  const auto compared = MeasureLatency(subjects, Brief());
  ASSERT_THAT(compared, Succeeds());
  EXPECT_NEAR(compared->variants[0].copy_difference, 0.5, 0.1);
  EXPECT_LT(compared->variants[1].copy_difference, 0.1);
  EXPECT_NEAR(compared->variants[1].speedup.ratio, 500.0 / 550, 0.05);
  EXPECT_EQ(compared->variants[1].verdict, Verdict::kCannotTell);
  EXPECT_EQ(compared->variants[2].verdict, Verdict::kSlower);
}

TEST(MeasureLatency, ClaimsNoDifferenceBelowTwoPercentFromCpuTime) {
  const auto run = [](double seconds) {
    return [=](std::size_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      return Spin(seconds);
    };
  };
  const std::vector<LatencySubject> subjects = {{"a", run(1e-3)}, {"b", run(1.015e-3)}};
  const auto compared = MeasureLatency(subjects, Brief());
  ASSERT_THAT(compared, Succeeds());
  EXPECT_EQ(compared->basis, TimeBasis::kCpu);
  EXPECT_EQ(compared->variants[1].verdict, Verdict::kCannotTell);
}

TEST(MeasureLatency, DoesNotCountTheTimeOfItsOwnClocks) {
  const LatencySubject subject{"empty", [](std::size_t) { return Result<void>(); }};
  const auto compared = MeasureLatency(std::vector{subject}, Brief());
  ASSERT_THAT(compared, Succeeds());
  // The remaining time is the call of the function; a call of the CPU clock takes longer.
  std::vector<double> clock_ms;
  for (std::size_t i = 0; i < 1001; ++i) {
    const double start = ThreadSeconds();
    clock_ms.push_back((ThreadSeconds() - start) * 1e3);
  }
  EXPECT_LT(compared->variants[0].cpu_median_ms, Median(std::move(clock_ms)) / 2);
}

TEST(MeasureLatency, KeepsItsBlocksWhenItIsStopped) {
  bool has_complete_block = false;
  const auto run = [&](std::size_t sample) {
    has_complete_block = has_complete_block || sample == 1;  // The second block has this sample.
    return Spin(100e-6);
  };
  const std::vector<LatencySubject> subjects = {{"a", run}, {"b", run}};
  LatencyOptions options = Brief();
  options.max_seconds = 600;
  options.max_relative_width = 0;
  options.sample_count = 2;
  options.progress = [&](double) { return !has_complete_block; };
  const auto compared = MeasureLatency(subjects, options);
  ASSERT_THAT(compared, Succeeds());
  EXPECT_TRUE(compared->is_stopped);
  EXPECT_GT(compared->variants[0].run_count, 0u);
  EXPECT_EQ(compared->variants[1].speedup.block_count, compared->block_count);
}

TEST(MeasureLatency, StopsBetweenTwoRunsOfABlock) {
  std::size_t run_count = 0, run_count_at_stop = 0;
  const auto run = [&](std::size_t) {
    ++run_count;
    return Spin(0.3);  // Longer than the time between two calls of `progress`.
  };
  const std::vector<LatencySubject> subjects = {{"a", run}, {"b", run}};
  LatencyOptions options = Brief();
  options.max_seconds = 0.1;  // The warm-up ends at once.
  const std::size_t warm_up_count = subjects.size();
  options.progress = [&](double) {
    run_count_at_stop = run_count;
    return run_count < warm_up_count + 1;
  };
  EXPECT_THAT(MeasureLatency(subjects, options),
              FailsSaying(ErrorCode::kUnavailable, "interrupted before its first block"));
  EXPECT_EQ(run_count, run_count_at_stop);
}

TEST(MeasureLatency, StopsInTheWarmUp) {
  std::size_t run_count = 0;
  const LatencySubject subject{"a", [&](std::size_t) {
                                 ++run_count;
                                 return Spin(1e-3);
                               }};
  LatencyOptions options = Brief();
  options.progress = [](double) { return false; };
  EXPECT_THAT(MeasureLatency(std::vector{subject}, options),
              FailsSaying(ErrorCode::kUnavailable, "interrupted"));
  EXPECT_EQ(run_count, 0u);
}

TEST(MeasureLatency, NamesTheVariantThatFails) {
  const std::vector<LatencySubject> subjects = {
      {"fp32", [](std::size_t) { return Spin(1e-6); }},
      {"int8", [](std::size_t) -> Result<void> { return Fail(ErrorCode::kInternal, "no"); }}};
  EXPECT_THAT(MeasureLatency(subjects, Brief()), FailsSaying(ErrorCode::kInternal, "int8: no"));
  EXPECT_THAT(MeasureLatency({}, Brief()),
              FailsSaying(ErrorCode::kInvalidArgument, "at least one variant"));
}

TEST(RunUntilFlat, WaitsUntilTheTimesStopFalling) {
  double seconds = 1;
  const auto warm = RunUntilFlat(
      [&]() -> Result<double> {
        seconds = std::max(0.1, seconds * 0.99);
        return seconds;
      },
      60);
  ASSERT_THAT(warm, Succeeds());
  EXPECT_TRUE(warm->is_flat);
  EXPECT_NEAR(warm->run_seconds, 0.1, 0.003);
}

TEST(RunUntilFlat, GivesUpWhenTheTimeIsOver) {
  double seconds = 1;
  const auto warm = RunUntilFlat([&]() -> Result<double> { return seconds *= 1.001; }, 0.05);
  ASSERT_THAT(warm, Succeeds());
  EXPECT_FALSE(warm->is_flat);
}

}  // namespace
}  // namespace cboard::benchmark
