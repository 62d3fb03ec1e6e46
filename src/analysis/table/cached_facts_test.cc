// Facts of unchanged runs are not computed again.
#include "analysis/table/cached_facts.h"

#include <gtest/gtest.h>

#include "analysis/testing/run_builder.h"
#include "cboard/analysis/snapshot_table.h"

namespace cboard::analysis {
namespace {

using Runs = std::vector<std::shared_ptr<reader::Run>>;

reader::Snapshot SnapshotOf(const Runs& runs) { return {.runs = {runs.begin(), runs.end()}}; }

std::shared_ptr<reader::Run> RunOfModel(int number, double accuracy) {
  const std::string model = "model_" + std::to_string(number);
  return MakeRun("run_" + std::to_string(1000 + number),
                 {{model + "/metrics/accuracy/fp32", 0.9},
                  {model + "/metrics/accuracy/int8", accuracy},
                  {"loss", 0.5}});
}

// Returns the runs that must be read before the table can be made.
std::size_t CountUnknown(const Runs& runs) {
  return static_cast<std::size_t>(std::ranges::count_if(
      runs, [](const auto& run) { return run->notes.template Find<CachedFacts>() == nullptr; }));
}

std::vector<double> ValuesOf(const ComparisonTable& table) {
  std::vector<double> values;
  for (const TableRow& row : table.rows) {
    for (const auto& cell : row.cells) values.push_back(cell ? cell->value : -1);
  }
  return values;
}

TEST(CachedFacts, OnlyTheRunThatChangedIsLookedAt) {
  Runs runs;
  for (int i = 0; i < 50; ++i) runs.push_back(RunOfModel(i, 0.8));
  EXPECT_EQ(CountUnknown(runs), 50u);
  std::vector<double> values = ValuesOf(TableOf(SnapshotOf(runs)));
  EXPECT_EQ(values.size(), 100u);
  EXPECT_EQ(CountUnknown(runs), 0u);

  runs[7] = RunOfModel(7, 0.6);
  EXPECT_EQ(CountUnknown(runs), 1u);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // Replaces the facts, so that a reader of these runs finds none.
    if (i != 7) runs[i]->tags.clear();
  }
  const ComparisonTable table = TableOf(SnapshotOf(runs));
  EXPECT_EQ(CountUnknown(runs), 0u);
  ASSERT_EQ(table.models.size(), 50u);
  const std::size_t row = *table.FindRow("run_1007", "model_7", "int8");
  EXPECT_EQ(table.MetricsOf(row).at("accuracy"), 0.6);
  values[row] = 0.6;
  EXPECT_EQ(ValuesOf(table), values);
}

TEST(CachedFacts, AreOnlySoMany) {
  const auto large_run = [](int number) {
    std::map<std::string, double> scalars;
    for (int i = 0; i < 10'000; ++i) {
      scalars["model_" + std::to_string(i) + "/metrics/accuracy/int8"] = number;
    }
    return MakeRun("run_" + std::to_string(number), scalars);
  };
  Runs runs;
  for (int i = 0; i < 7; ++i) runs.push_back(large_run(i));
  EXPECT_EQ(CollectFacts(SnapshotOf(runs)).size(), 70'000u);
  EXPECT_EQ(CountUnknown(runs), 2u);
  EXPECT_EQ(CollectFacts(SnapshotOf(runs)).size(), 70'000u);
  EXPECT_EQ(CountUnknown(runs), 2u);

  // The cached facts of a run are dropped with the run.
  runs.erase(runs.begin(), runs.begin() + 3);
  EXPECT_EQ(CollectFacts(SnapshotOf(runs)).size(), 40'000u);
  EXPECT_EQ(CountUnknown(runs), 0u);
}

}  // namespace
}  // namespace cboard::analysis
