#include "cboard/compression/log_plan.h"

#include <gmock/gmock.h>

#include "testing/matchers.h"

namespace cboard::compression {
namespace {

using ::cboard::testing::FailsSaying;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

ModelComparison TwoVariants() {
  return {.model = "alexnet",
          .baseline = "fp32",
          .variants = {{"fp32", {{"accuracy", 0.9}, {"energy_consumption_mw", 50}}, {}},
                       {"w4/a8", {{"accuracy", 0.8}, {"energy_consumption_mw", 25}}, {}}},
          .info = {}};
}

// Formats entries as "metric accuracy/int8=0.9", "group accuracy", "ratio speedup/int8=2".
std::vector<std::string> Summaries(const LogPlan& plan) {
  std::vector<std::string> texts;
  for (const PlannedValue& planned : plan.values) {
    const std::string kind = planned.kind == CompressionTagKind::kMetric  ? "metric "
                             : planned.kind == CompressionTagKind::kGroup ? "group "
                                                                          : "ratio ";
    texts.push_back(kind + planned.name);
    if (!planned.variant.empty()) texts.back() += " of " + planned.variant;
  }
  return texts;
}

TEST(LogPlan, HasEveryMetricOfEveryVariantAndThenTheirGroup) {
  const LogPlan plan = PlanComparison(TwoVariants(), TagScheme::kBoth).value();
  EXPECT_THAT(Summaries(plan),
              ElementsAre("metric accuracy of fp32", "metric accuracy of w4/a8", "group accuracy"));
  EXPECT_EQ(plan.values[1].value, 0.8);
  EXPECT_THAT(plan.values[2].group, ElementsAre(Pair("fp32", 0.9), Pair("w4%2Fa8", 0.8)));
  EXPECT_THAT(plan.omitted, IsEmpty());
}

TEST(LogPlan, FollowsTheTagScheme) {
  EXPECT_THAT(Summaries(PlanComparison(TwoVariants(), TagScheme::kGroups).value()),
              ElementsAre("group accuracy"));
  EXPECT_THAT(Summaries(PlanComparison(TwoVariants(), TagScheme::kFlat).value()),
              ElementsAre("metric accuracy of fp32", "metric accuracy of w4/a8"));
}

TEST(LogPlan, KeepsPowerApart) {
  EXPECT_THAT(Summaries(PlanRatios(TwoVariants()).value()),
              ElementsAre("ratio accuracy_drop of w4/a8", "ratio accuracy_retention_pct of w4/a8"));
  const LogPlan energy = PlanEnergy(TwoVariants(), TagScheme::kFlat).value();
  for (const PlannedValue& planned : energy.values) {
    EXPECT_THAT(planned.name, ::testing::StartsWith("energy_"));
  }
  EXPECT_GT(energy.values.size(), 2u);
}

TEST(LogPlan, SaysWhichVariantHasNoScoreAndWhy) {
  ModelComparison comparison = TwoVariants();
  comparison.variants[1].metrics.erase("accuracy");
  const LogPlan plan = PlanAurora(comparison, {}).value();
  EXPECT_THAT(plan.values, IsEmpty());
  ASSERT_EQ(plan.omitted.size(), 1u);
  EXPECT_THAT(plan.omitted[0].reason, ::testing::HasSubstr("w4/a8"));
}

// A throughput and the latency that was derived from it.
ModelComparison DerivedLatency() {
  ModelComparison comparison = TwoVariants();
  for (Variant& variant : comparison.variants) {
    variant.metrics = {{"accuracy", 0.9}, {"throughput", 10}, {"latency_mean_ms", 1400}};
    variant.derived = {"latency_mean_ms"};
  }
  return comparison;
}

TEST(LogPlan, MarksWhatIsDerivedAndKeepsItWhereAMarkCanBe) {
  const LogPlan plan = PlanComparison(DerivedLatency(), TagScheme::kGroups).value();
  EXPECT_THAT(Summaries(plan),
              ElementsAre("group accuracy", "metric latency_mean_ms of fp32",
                          "metric latency_mean_ms of w4/a8", "metric throughput of fp32",
                          "metric throughput of w4/a8"));
  EXPECT_THAT(plan.values[1].labels.plugin_content, ::testing::HasSubstr("\"derived\":true"));
  EXPECT_THAT(plan.values[1].labels.description, ::testing::HasSubstr("not measured"));
  EXPECT_THAT(plan.values[3].labels.plugin_content,
              ::testing::Not(::testing::HasSubstr("derived")));
  const LogPlan ratios = PlanRatios(DerivedLatency()).value();
  for (const PlannedValue& ratio : ratios.values) {
    EXPECT_EQ(ratio.labels.plugin_content.find("derived") != std::string::npos,
              ratio.name == "speedup");
  }
}

TEST(LogPlan, ScoresNothingTwice) {
  const LogPlan plan = PlanAurora(DerivedLatency(), {}).value();
  EXPECT_THAT(Summaries(plan),
              ElementsAre("ratio aurora of w4/a8", "ratio aurora_mean of w4/a8",
                          "ratio aurora/quality of w4/a8", "ratio aurora/throughput of w4/a8",
                          "ratio aurora/penalty of w4/a8"));
}

TEST(LogPlan, NeedsABaselineAndNamesThatDiffer) {
  ModelComparison comparison = TwoVariants();
  comparison.variants.push_back({"w4_2Fa8", {}, {}});  // The form of "w4/a8" in a tag.
  EXPECT_THAT(PlanRatios(comparison),
              FailsSaying(ErrorCode::kInvalidArgument, "rename one of them"));
  comparison.baseline = "fp64";
  EXPECT_THAT(PlanAurora(comparison, {}), FailsSaying(ErrorCode::kInvalidArgument, "fp64"));
}

}  // namespace
}  // namespace cboard::compression
