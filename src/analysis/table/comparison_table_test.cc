#include "cboard/analysis/comparison_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/testing/fact_builder.h"
#include "cboard/analysis/snapshot_table.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> RowsOf(const ComparisonTable& table) {
  std::vector<std::string> rows;
  for (const TableRow& row : table.rows) {
    rows.push_back(row.experiment + " | " + row.model + " | " + row.variant);
  }
  return rows;
}

const Cell* CellOf(const ComparisonTable& table, std::size_t row, std::string_view metric) {
  const auto column = table.FindMetric(metric);
  if (!column || !table.rows[row].cells[*column]) return nullptr;
  return &*table.rows[row].cells[*column];
}

TEST(BuildComparisonTable, BringsFlatTagsAndGroupsOfOneModelTogether) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("exp", "net/performance/memory_usage_mb/fp32", 9),
                            FactOf("exp", "net/performance/memory_usage_mb/int8", 4),
                            FactOf("exp/net/accuracy/fp32", "net/accuracy", 0.75),
                            FactOf("exp/net/accuracy/int8", "net/accuracy", 0.5)});
  EXPECT_THAT(RowsOf(table), ElementsAre("exp | net | fp32", "exp | net | int8"));
  ASSERT_EQ(table.models.size(), 1u);
  EXPECT_EQ(table.models[0].baseline, "fp32");
  EXPECT_EQ(CellOf(table, 1, "accuracy")->value, 0.5);
  EXPECT_EQ(CellOf(table, 1, "memory_usage_mb")->value, 4);
}

TEST(BuildComparisonTable, RemembersWhereEveryCellCameFrom) {
  const ComparisonTable table = BuildComparisonTable(
      {FactOf("exp/net_accuracy_fp32", "net/accuracy", 0.75, {.step = 7, .wall_time_seconds = 3}),
       FactOf("exp/net_accuracy_int8", "net/accuracy", 0.5)});
  const Cell* cell = CellOf(table, 0, "accuracy");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->source, (Source{.run = "exp/net_accuracy_fp32",
                                  .tag = "net/accuracy",
                                  .step = 7,
                                  .wall_time_seconds = 3}));
  EXPECT_EQ(cell->dialect, TagFormat::kGroup);
}

TEST(BuildComparisonTable, NamesTheTagThatIsMissing) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("exp", "net/performance/latency_ms/fp32", 9),
                            FactOf("exp", "net/metrics/accuracy/int8", 0.5)});
  EXPECT_EQ(CellOf(table, 1, "latency_mean_ms"), nullptr);
  EXPECT_EQ(MissingTag(table.rows[1], table.metrics[*table.FindMetric("latency_mean_ms")]),
            "net/performance/latency_ms/int8");
}

TEST(BuildComparisonTable, TellsMissingFromNotANumber) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("exp", "net/metrics/accuracy/fp32", 0.75),
                            FactOf("exp", "net/metrics/accuracy/int8", std::nan(""))});
  ASSERT_NE(CellOf(table, 1, "accuracy"), nullptr);
  EXPECT_TRUE(std::isnan(CellOf(table, 1, "accuracy")->value));
}

TEST(BuildComparisonTable, TrustsStoredLabelsMoreThanTags) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("exp/my net/accuracy/fp32", "my_net/accuracy", 0.1),
                            StoredFact("exp", "my net", "fp32", "accuracy", 0.75),
                            FactOf("exp", "my_net/metrics/accuracy/fp32", 0.2)});
  EXPECT_THAT(RowsOf(table), ElementsAre("exp | my net | fp32"));
  EXPECT_EQ(CellOf(table, 0, "accuracy")->value, 0.75);
}

TEST(BuildComparisonTable, TakesTheLaterOfTwoEqualClaims) {
  const ComparisonTable table = BuildComparisonTable(
      {FactOf("exp", "net/performance/latency/int8", 5, {.wall_time_seconds = 1}),
       FactOf("exp", "net/performance/latency_ms/int8", 6, {.wall_time_seconds = 2})});
  EXPECT_EQ(CellOf(table, 0, "latency_mean_ms")->value, 6);
}

TEST(BuildComparisonTable, JoinsVariantsThatLieInRunsOfTheirOwn) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("exp/a", "net/metrics/accuracy/fp32", 0.75),
                            FactOf("exp/b", "net/metrics/accuracy/int8", 0.5)});
  EXPECT_THAT(RowsOf(table), ElementsAre("exp | net | fp32", "exp | net | int8"));
}

TEST(BuildComparisonTable, KeepsRepetitionsOfAModelApart) {
  const ComparisonTable twice =
      BuildComparisonTable({FactOf("exp/a", "net/metrics/accuracy/int8", 0.75),
                            FactOf("exp/b", "net/metrics/accuracy/int8", 0.5)});
  EXPECT_THAT(RowsOf(twice), ElementsAre("exp/a | net | int8", "exp/b | net | int8"));
}

TEST(BuildComparisonTable, JoinsExperimentsThatContradictEachOtherInNothing) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("runs/benchmark/net", "net/metrics/accuracy/fp32", 0.75),
                            FactOf("runs/benchmark/net", "net/metrics/accuracy/int8", 0.5),
                            FactOf("runs/benchmark/net", "net/performance/model_size_mb/int8", 1.3),
                            FactOf("runs/layers", "net/performance/model_size_mb/int8", 1.3042)});
  EXPECT_THAT(RowsOf(table), ElementsAre("runs | net | fp32", "runs | net | int8"));
  EXPECT_EQ(CellOf(table, 1, "accuracy")->source.run, "runs/benchmark/net");
  EXPECT_EQ(CellOf(table, 1, "model_size_mb")->value, 1.3);
}

TEST(BuildComparisonTable, KeepsAllApartWhereTwoDiffer) {
  const auto facts = [](double accuracy, double size) {
    return std::vector{FactOf("a/net", "net/metrics/accuracy/fp32", 0.75),
                       FactOf("a/net", "net/performance/model_size_mb/int8", 2),
                       FactOf("b/x", "net/metrics/accuracy/fp32", accuracy),
                       FactOf("c/y", "net/performance/model_size_mb/int8", size)};
  };
  EXPECT_EQ(BuildComparisonTable(facts(0.75, 2)).models.size(), 1u);
  EXPECT_EQ(BuildComparisonTable(facts(0.76, 2)).models.size(), 3u);
  EXPECT_EQ(BuildComparisonTable(facts(0.75, 2.2)).models.size(), 3u);
}

TEST(BuildComparisonTable, KeepsDirectoriesOfTuningApartThatAreCalledTheSame) {
  const ComparisonTable table = BuildComparisonTable(
      {FactOf("a/eval/baseline", "accuracy", 0.5), FactOf("a/eval/tune_1", "accuracy", 0.4),
       FactOf("b/eval/baseline", "accuracy", 0.5), FactOf("b/eval/tune_2", "accuracy", 0.3)});
  EXPECT_EQ(table.models.size(), 2u);
}

TEST(UniqueNames, SayTheExperimentBesideAModelOnlyWhereItTellsThemApart) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("again/net", "net/metrics/accuracy/int8", 0.75),
                            FactOf("net", "net/metrics/accuracy/int8", 0.5),
                            FactOf("other", "mlp/metrics/accuracy/int8", 0.5)});
  EXPECT_THAT(UniqueNames(table), ElementsAre("net (again)", "net", "mlp"));
  const ComparisonTable nested =
      BuildComparisonTable({FactOf("again", "net/metrics/accuracy/int8", 0.75),
                            FactOf("again/net", "net/metrics/accuracy/int8", 0.5)});
  EXPECT_THAT(UniqueNames(nested), ElementsAre("net (again)", "net (again/net)"));
}

TEST(ExperimentToRankIn, IsWithoutTheDirectoryThatOnlyTheModelHas) {
  const ComparisonTable table = BuildComparisonTable(
      {FactOf(".", "top/metrics/accuracy/int8", 0.5),
       FactOf("alone", "alone/metrics/accuracy/int8", 0.5),
       FactOf("zoo", "mlp/metrics/accuracy/int8", 0.5),
       FactOf("zoo/a%2Fb", "a/b/metrics/accuracy/int8", 0.5),
       FactOf("zoo/my net", "my net/metrics/accuracy/int8", 0.5),
       FactOf("zoo/x%2Fy/baseline", "accuracy", 0.5), FactOf("zoo/x%2Fy/tune_1", "accuracy", 0.4)});
  std::vector<std::string_view> experiments;
  for (const TableModel& model : table.models) experiments.push_back(ExperimentToRankIn(model));
  EXPECT_THAT(experiments, ElementsAre(".", ".", "zoo", "zoo", "zoo", "zoo"));
}

TEST(BuildComparisonTable, PutsTheBaselineFirstAndNumbersInTheirOrder) {
  const ComparisonTable table = BuildComparisonTable({FactOf("eval/tune_10", "accuracy", 0.3),
                                                      FactOf("eval/tune_2", "accuracy", 0.4),
                                                      FactOf("eval/baseline", "accuracy", 0.5)});
  EXPECT_THAT(RowsOf(table), ElementsAre("eval | eval | baseline", "eval | eval | tune_2",
                                         "eval | eval | tune_10"));
  EXPECT_EQ(table.models[0].baseline, "baseline");
}

TEST(BuildComparisonTable, ComparesWithTheBaselineThatRatiosName) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("r", "llm/metrics/accuracy/awq", 0.5),
                            FactOf("r", "llm/metrics/accuracy/teacher", 0.6),
                            StoredRatio("r", "llm", "awq", "teacher", "accuracy_drop", 0.1)});
  EXPECT_THAT(RowsOf(table), ElementsAre("r | llm | teacher", "r | llm | awq"));
}

TEST(BuildComparisonTable, DoesNotTakeATrainingLogForAModel) {
  EXPECT_THAT(BuildComparisonTable({FactOf("r", "train/metrics/loss/total", 1)}).rows, IsEmpty());
  EXPECT_THAT(BuildComparisonTable({FactOf("r", "train/compression/loss", 1)}).rows, IsEmpty());
  EXPECT_THAT(RowsOf(BuildComparisonTable({FactOf("r", "net/metrics/loss/int8", 1)})),
              ElementsAre("r | net | int8"));
  EXPECT_THAT(RowsOf(BuildComparisonTable({FactOf("r", "net/compression/speedup", 1)})),
              ElementsAre("r | net | int8"));
}

TEST(BuildComparisonTable, DoesNotTakeGroupsOfAnyCurvesForAModel) {
  const auto group = [](const std::string& tag, const std::string& name) {
    return FactOf("r/" + tag + "/" + name, tag, 0.5);
  };
  EXPECT_THAT(
      BuildComparisonTable({group("sweep/accuracy", "lr0.1"), group("sweep/accuracy", "lr1"),
                            group("heads/loss", "box"), group("heads/loss", "cls"),
                            group("paper/accuracy", "baseline"), group("paper/accuracy", "ours")})
          .rows,
      IsEmpty());
  EXPECT_THAT(RowsOf(BuildComparisonTable(
                  {group("net/accuracy", "teacher"), group("net/accuracy", "int8")})),
              ElementsAre("r | net | int8", "r | net | teacher"));
}

TEST(BuildComparisonTable, DoesNotTakeARunCalledBaselineForTuning) {
  EXPECT_THAT(BuildComparisonTable({FactOf("exp/baseline", "accuracy", 0.5)}).rows, IsEmpty());
  EXPECT_THAT(RowsOf(BuildComparisonTable(
                  {FactOf("exp/baseline", "accuracy", 0.5), FactOf("exp/tune_1", "loss", 0.5)})),
              ElementsAre("exp | exp | baseline", "exp | exp | tune_1"));
}

TEST(BuildComparisonTable, FindsRowsByName) {
  const ComparisonTable table =
      BuildComparisonTable({FactOf("a", "net/metrics/accuracy/fp32", 0.75),
                            FactOf("a", "net/metrics/accuracy/int8", 0.5),
                            FactOf("b", "net/metrics/accuracy/int8", 0.25)});
  ASSERT_TRUE(table.FindRow("b", "net", "int8"));
  EXPECT_EQ(CellOf(table, *table.FindRow("b", "net", "int8"), "accuracy")->value, 0.25);
  EXPECT_FALSE(table.FindRow("b", "net", "fp32"));
  EXPECT_EQ(table.MetricsOf(0), (Metrics{{"accuracy", 0.75}}));
}

}  // namespace
}  // namespace cboard::analysis
