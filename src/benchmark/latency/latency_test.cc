#include "cboard/benchmark/latency.h"

#include <gmock/gmock.h>

#include <set>

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

TEST(MeasureLatency, KeepsItsBlocksWhenItIsStopped) {
  const std::vector<LatencySubject> subjects = {{"a", [](std::size_t) { return Spin(100e-6); }},
                                                {"b", [](std::size_t) { return Spin(100e-6); }}};
  LatencyOptions options = Brief();
  options.max_seconds = 600;
  options.max_relative_width = 0;
  options.progress = [calls = 0](double) mutable { return ++calls < 2; };
  const auto compared = MeasureLatency(subjects, options);
  ASSERT_THAT(compared, Succeeds());
  EXPECT_TRUE(compared->is_stopped);
  EXPECT_GT(compared->variants[0].run_count, 0u);
}

TEST(MeasureLatency, NamesTheVariantThatFails) {
  const std::vector<LatencySubject> subjects = {
      {"fp32", [](std::size_t) { return Spin(1e-6); }},
      {"int8", [](std::size_t) -> Result<void> { return Fail(ErrorCode::kInternal, "no"); }}};
  EXPECT_THAT(MeasureLatency(subjects, Brief()), FailsSaying(ErrorCode::kInternal, "int8: no"));
  EXPECT_THAT(MeasureLatency({}, Brief()), FailsSaying(ErrorCode::kInvalidArgument, "no variant"));
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
