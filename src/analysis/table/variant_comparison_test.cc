#include "cboard/analysis/variant_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/testing/fact_builder.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::Pair;

const RatioCell* RatioOf(const VariantComparison& comparison, std::string_view name) {
  const auto found = std::ranges::find(comparison.ratios, name, &RatioCell::name);
  return found == comparison.ratios.end() ? nullptr : &*found;
}

std::vector<Fact> Pair8() {
  return {FactOf("r", "net/performance/model_size_mb/fp32", 8),
          FactOf("r", "net/performance/model_size_mb/int8", 2),
          FactOf("r", "net/metrics/accuracy/fp32", 0.75),
          FactOf("r", "net/metrics/accuracy/int8", 0.5)};
}

TEST(CompareRows, ComputesDifferencesAndRatios) {
  const ComparisonTable table = BuildComparisonTable(Pair8());
  const VariantComparison change = CompareRows(table, 1, 0);
  const auto& size = change.deltas[*table.FindMetric("model_size_mb")];
  ASSERT_TRUE(size);
  EXPECT_EQ(size->difference, -6);
  EXPECT_THAT(size->relative, Optional(-0.75));
  EXPECT_EQ(size->verdict, Verdict::kBetter);
  EXPECT_EQ(change.deltas[*table.FindMetric("accuracy")]->verdict, Verdict::kWorse);
  ASSERT_NE(RatioOf(change, "size_ratio"), nullptr);
  EXPECT_EQ(RatioOf(change, "size_ratio")->value, 4);
  EXPECT_TRUE(RatioOf(change, "size_ratio")->computed);
}

TEST(CompareRows, MarksWhatIsDerivedAndScoresItNot) {
  std::vector<Fact> facts = Pair8();
  for (const auto& [variant, rate] : {std::pair("fp32", 10.0), std::pair("int8", 40.0)}) {
    facts.push_back(StoredFact("r", "net", variant, "throughput", rate));
    facts.push_back(StoredFact("r", "net", variant, "latency_mean_ms", 14000 / rate));
    facts.back().meaning.derived = true;
  }
  const ComparisonTable table = BuildComparisonTable(facts);
  EXPECT_TRUE(table.rows[0].cells[*table.FindMetric("latency_mean_ms")]->derived);
  EXPECT_FALSE(table.MeasuredOf(0).contains("latency_mean_ms"));
  EXPECT_TRUE(table.MeasuredOf(0).contains("throughput"));
  const VariantComparison change = CompareRows(table, 1, 0);
  EXPECT_TRUE(RatioOf(change, "speedup")->derived);
  EXPECT_FALSE(RatioOf(change, "throughput_ratio")->derived);
  EXPECT_THAT(change.aurora.weights,
              ElementsAre(Pair("quality", ::testing::_), Pair("throughput", ::testing::_)));
  EXPECT_NEAR(*change.aurora.coverage, 0.6, 1e-9);
}

TEST(CompareRows, TakesAnyRowAsBaseline) {
  const ComparisonTable table = BuildComparisonTable(Pair8());
  const VariantComparison change = CompareRows(table, 0, 1);
  EXPECT_EQ(RatioOf(change, "size_ratio")->value, 0.25);
  EXPECT_EQ(change.deltas[*table.FindMetric("accuracy")]->verdict, Verdict::kBetter);
}

TEST(CompareRows, TakesALoggedRatioForItsOwnPairOnly) {
  std::vector<Fact> facts = Pair8();
  facts.push_back(FactOf("r", "net/performance/model_size_mb/int4", 1));
  facts.push_back(FactOf("r", "net/compression/size_ratio", 3.9));
  facts.push_back(StoredRatio("r", "net", "int8", "fp32", "my_ratio", 7));
  const ComparisonTable table = BuildComparisonTable(facts);
  const std::size_t int8 = *table.FindRow("r", "net", "int8");
  const VariantComparison usual = CompareRows(table, int8, *table.FindRow("r", "net", "fp32"));
  EXPECT_EQ(RatioOf(usual, "size_ratio")->value, 3.9);
  EXPECT_FALSE(RatioOf(usual, "size_ratio")->computed);
  EXPECT_EQ(RatioOf(usual, "size_ratio")->source->tag, "net/compression/size_ratio");
  EXPECT_EQ(RatioOf(usual, "my_ratio")->value, 7);
  const VariantComparison other = CompareRows(table, int8, *table.FindRow("r", "net", "int4"));
  EXPECT_EQ(RatioOf(other, "size_ratio")->value, 0.5);
  EXPECT_TRUE(RatioOf(other, "size_ratio")->computed);
  EXPECT_EQ(RatioOf(other, "my_ratio"), nullptr);
}

// The published example, with its stated drop of 6 %.
TEST(CompareRows, ComputesAuroraWithWeightsAndFactors) {
  const auto fact = [](const char* tag, double value) { return FactOf("r", tag, value); };
  const ComparisonTable table = BuildComparisonTable(
      {fact("net/metrics/accuracy/fp32", .6628), fact("net/metrics/accuracy/int8", .6628 * .94),
       fact("net/performance/latency_ms/fp32", 15), fact("net/performance/latency_ms/int8", 9),
       fact("net/performance/memory_usage_mb/fp32", 800),
       fact("net/performance/memory_usage_mb/int8", 560),
       fact("net/performance/energy_mw/fp32", 45000), fact("net/performance/energy_mw/int8", 36000),
       fact("net/performance/throughput/fp32", 1000),
       fact("net/performance/throughput/int8", 1500)});
  const AuroraCell aurora = CompareRows(table, 1, 0).aurora;
  ASSERT_TRUE(aurora.score);
  EXPECT_NEAR(*aurora.score, 0.671733, 1e-5);
  EXPECT_TRUE(aurora.computed);
  EXPECT_EQ(aurora.formula, "v1");
  EXPECT_EQ(aurora.weights.size(), 5u);
  double product = 1;
  for (const auto& [name, factor] : aurora.factors) product *= factor;
  EXPECT_NEAR(product, *aurora.score, 1e-12);
}

TEST(CompareRows, PrefersALoggedScoreAndSaysHowItWasMade) {
  std::vector<Fact> facts = Pair8();
  Fact score = StoredRatio("r", "net", "int8", "fp32", "aurora", 2.38);
  score.meaning.aurora = {.formula = "v1", .coverage = .8, .weights = {{"quality", .4}}};
  facts.push_back(score);
  facts.push_back(StoredRatio("r", "net", "int8", "fp32", "aurora/quality", 0.9));
  const ComparisonTable table = BuildComparisonTable(facts);
  const AuroraCell aurora = CompareRows(table, 1, 0).aurora;
  EXPECT_THAT(aurora.score, Optional(2.38));
  EXPECT_FALSE(aurora.computed);
  EXPECT_THAT(aurora.coverage, Optional(.8));
  EXPECT_THAT(aurora.weights, ElementsAre(Pair("quality", .4)));
  EXPECT_THAT(aurora.factors, ElementsAre(Pair("quality", .9)));
}

TEST(CompareRows, SaysWhyThereIsNoScore) {
  const ComparisonTable table = BuildComparisonTable(Pair8());
  EXPECT_THAT(CompareRows(table, 1, 0).aurora.reason, HasSubstr("throughput"));
  EXPECT_THAT(CompareRows(table, 0, 0).aurora.reason, HasSubstr("baseline"));
}

TEST(CompareRows, SaysNothingAboutWhatWasNotLoggedOrIsNotFinite) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("r", "net/metrics/accuracy/fp32", 0.75),
                            FactOf("r", "net/metrics/accuracy/int8", std::nan("")),
                            FactOf("r", "net/performance/model_size_mb/int8", 2)});
  const VariantComparison change = CompareRows(table, 1, 0);
  for (const auto& delta : change.deltas) EXPECT_FALSE(delta);
  EXPECT_TRUE(change.ratios.empty());
  EXPECT_FALSE(change.omitted.empty());
}

TEST(CompareAll, ComparesEveryRowWithTheChosenBaseline) {
  const ComparisonTable table = BuildComparisonTable(Pair8());
  const auto usual = CompareAll(table);
  ASSERT_EQ(usual.size(), 2u);
  EXPECT_EQ(usual[1].baseline_row, 0u);
  EXPECT_EQ(CompareAll(table, "int8")[0].baseline_row, 1u);
}

}  // namespace
}  // namespace cboard::analysis
