#include "cboard/compression/metrics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace cboard::compression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

double ValueOf(const Ratios& ratios, std::string_view name) {
  for (const RatioValue& ratio : ratios.values) {
    if (ratio.name == name) return ratio.value;
  }
  return std::nan("");
}

std::vector<std::string> NamesOf(const Ratios& ratios) {
  std::vector<std::string> names;
  for (const RatioValue& ratio : ratios.values) names.emplace_back(ratio.name);
  return names;
}

TEST(Metrics, CallsMilliwattsAPower) {
  const MetricDescription energy = DescribeMetric("energy_consumption_mw");
  EXPECT_EQ(energy.display_name, "Power (mW)");
  EXPECT_EQ(energy.flat_group + "/" + energy.flat_name, "performance/energy_mw");
  EXPECT_EQ(energy.better, Better::kLower);
}

TEST(Metrics, KnowsTheGroupsOfTheGuide) {
  EXPECT_EQ(DescribeMetric("accuracy").guide_group, "accuracy");
  EXPECT_EQ(DescribeMetric("latency_mean_ms").guide_group, "latency");
  EXPECT_EQ(DescribeMetric("model_size_mb").guide_group, "model_size");
  EXPECT_EQ(DescribeMetric("f1_score").guide_group, "");
}

TEST(Metrics, KeepsUnknownKeysAndGuessesOnlyWhatIsSafe) {
  const MetricDescription perplexity = DescribeMetric("wikitext_word_perplexity");
  EXPECT_EQ(perplexity.flat_group + "/" + perplexity.flat_name, "metrics/wikitext_word_perplexity");
  EXPECT_EQ(perplexity.better, Better::kLower);
  EXPECT_EQ(DescribeMetric("average_accuracy").better, Better::kHigher);
  EXPECT_EQ(DescribeMetric("accuracy_ratio_int4_fp32").better, Better::kUnknown);
  EXPECT_EQ(DescribeMetric("hellaswag").better, Better::kUnknown);
  EXPECT_EQ(DescribeMetric("warmup_ms").unit, "ms");
}

TEST(Metrics, AreLoggedKnownOnesFirst) {
  std::vector<std::string> keys;
  for (const auto& [metric, value] :
       InLogOrder({{"aaa", 1}, {"loss", 1}, {"model_size_mb", 1}, {"accuracy", 1}})) {
    keys.push_back(metric.key);
  }
  EXPECT_THAT(keys, ElementsAre("accuracy", "model_size_mb", "loss", "aaa"));
}

TEST(Ratios, FollowTheGuide) {
  const Ratios ratios =
      ComputeRatios({{"accuracy", 0.9945}, {"latency_mean_ms", 261.02}, {"model_size_mb", 217.61}},
                    {{"accuracy", 0.9945}, {"latency_mean_ms", 217.14}, {"model_size_mb", 9.42}});
  EXPECT_DOUBLE_EQ(ValueOf(ratios, "size_ratio"), 217.61 / 9.42);
  EXPECT_DOUBLE_EQ(ValueOf(ratios, "size_reduction_pct"), (217.61 - 9.42) / 217.61 * 100);
  EXPECT_DOUBLE_EQ(ValueOf(ratios, "speedup"), 261.02 / 217.14);
  EXPECT_EQ(ValueOf(ratios, "accuracy_drop"), 0);
  EXPECT_EQ(ValueOf(ratios, "accuracy_retention_pct"), 100);
  EXPECT_THAT(ratios.omitted, IsEmpty());
}

TEST(Ratios, GiveEnergyAndMemoryAsDifferencesToo) {
  const Ratios ratios = ComputeRatios({{"memory_usage_mb", 9.46}, {"energy_consumption_mw", 400}},
                                      {{"memory_usage_mb", 4.46}, {"energy_consumption_mw", 100}});
  EXPECT_THAT(NamesOf(ratios),
              ElementsAre("memory_reduction_mb", "energy_reduction_mw", "energy_ratio"));
  EXPECT_DOUBLE_EQ(ValueOf(ratios, "memory_reduction_mb"), 5);
  EXPECT_DOUBLE_EQ(ValueOf(ratios, "energy_ratio"), 4);
}

TEST(Ratios, NameTheZeroThatStandsInTheirWay) {
  const Ratios ratios =
      ComputeRatios({{"latency_mean_ms", 5}, {"model_size_mb", 0}, {"accuracy", -1}},
                    {{"latency_mean_ms", 0}, {"model_size_mb", 2}, {"accuracy", 0.5}});
  EXPECT_THAT(NamesOf(ratios), ElementsAre("accuracy_drop"));
  EXPECT_THAT(ratios.omitted,
              ElementsAre(Omission{"size_ratio", "model_size_mb of 'fp32' is 0"},
                          Omission{"size_reduction_pct", "model_size_mb of 'fp32' is 0"},
                          Omission{"speedup", "latency_mean_ms of 'int8' is 0"},
                          Omission{"accuracy_retention_pct", "accuracy of 'fp32' is -1"}));
}

TEST(Ratios, AreNeverMadeOfWhatWasNotMeasuredOnEitherSide) {
  for (const char* metric :
       {"model_size_mb", "latency_mean_ms", "throughput", "energy_consumption_mw"}) {
    for (const double nothing : {0.0, -3.0}) {
      for (const auto& ratio : ComputeRatios({{metric, nothing}}, {{metric, 5}}).values) {
        EXPECT_EQ(ratio.name, "energy_reduction_mw");  // A difference, not a ratio.
      }
      for (const auto& ratio : ComputeRatios({{metric, 5}}, {{metric, nothing}}).values) {
        EXPECT_EQ(ratio.name, "energy_reduction_mw");
      }
    }
  }
  // An accuracy of 0 has a retention of 0: that is a result.
  EXPECT_EQ(
      ValueOf(ComputeRatios({{"accuracy", 0.5}}, {{"accuracy", 0}}), "accuracy_retention_pct"), 0);
}

TEST(Ratios, LeaveOutWhatIsNotFinite) {
  const Ratios ratios = ComputeRatios({{"accuracy", std::nan("")}, {"model_size_mb", 1e300}},
                                      {{"accuracy", 1}, {"model_size_mb", 1e-300}}, "fp16", "int4");
  EXPECT_THAT(NamesOf(ratios), ElementsAre("size_reduction_pct"));
  ASSERT_EQ(ratios.omitted.size(), 3u);
  EXPECT_THAT(ratios.omitted[0].reason, HasSubstr("too far apart"));
  EXPECT_EQ(ratios.omitted[1], (Omission{"accuracy_drop", "accuracy of 'fp16' is nan"}));
}

TEST(Ratios, SayWhichSideLacksAMetric) {
  const Ratios ratios = ComputeRatios({{"latency_mean_ms", 5}}, {});
  EXPECT_THAT(ratios.omitted,
              ElementsAre(Omission{"speedup", "latency_mean_ms of 'int8' is missing"}));
}

}  // namespace
}  // namespace cboard::compression
