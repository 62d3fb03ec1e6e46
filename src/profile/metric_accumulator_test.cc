#include "profile/metric_accumulator.h"

#include <gtest/gtest.h>

#include <limits>

namespace cboard::profile {
namespace {

TEST(MetricAccumulator, SummarizesAHundredValues) {
  MetricAccumulator metric;
  for (int i = 100; i >= 1; --i) metric.Add(i, 1);
  const MetricSummary summary = metric.Summarize("cpu/percent");
  EXPECT_EQ(summary.sample_count, 100u);
  EXPECT_EQ(summary.mean, 50.5);
  EXPECT_EQ(summary.max, 100);
  EXPECT_EQ(summary.p95, 95);
  EXPECT_FALSE(summary.energy_j.has_value());
}

TEST(MetricAccumulator, IntegratesPowerToEnergy) {
  MetricAccumulator metric;
  metric.Add(10, 2);
  metric.Add(40, 0.5);
  EXPECT_EQ(metric.Summarize("power/package_w").energy_j, 40);
}

TEST(MetricAccumulator, OfOneValueEverythingIsThatValue) {
  MetricAccumulator metric;
  metric.Add(-7, 1);
  const MetricSummary summary = metric.Summarize("temperature/outside_c");
  EXPECT_EQ(summary.mean, -7);
  EXPECT_EQ(summary.max, -7);
  EXPECT_EQ(summary.p95, -7);
}

TEST(MetricAccumulator, KeepsThePercentileOfLongRunsInBoundedMemory) {
  MetricAccumulator metric;
  constexpr int kCount = 1'000'000;
  for (int i = 0; i < kCount; ++i) metric.Add(i, 1);
  const MetricSummary summary = metric.Summarize("x");
  EXPECT_EQ(summary.sample_count, std::size_t{kCount});
  EXPECT_EQ(summary.max, kCount - 1);
  EXPECT_NEAR(summary.p95, 0.95 * kCount, 0.001 * kCount);
}

TEST(MetricAccumulator, IgnoresWhatIsNotANumber) {
  MetricAccumulator metric;
  metric.Add(std::numeric_limits<double>::quiet_NaN(), 1);
  metric.Add(3, 1);
  EXPECT_EQ(metric.Summarize("x").mean, 3);
  EXPECT_EQ(metric.Summarize("x").sample_count, 1u);
}

TEST(MetricAccumulator, WithoutValuesThereIsNothingToDivide) {
  EXPECT_EQ(MetricAccumulator().Summarize("power/package_w").sample_count, 0u);
}

}  // namespace
}  // namespace cboard::profile
