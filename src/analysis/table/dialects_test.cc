// The same metrics, logged in the tag format of every program, give the same table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"
#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/variant_comparison.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;

// Formats a value as "model variant metric = value", without its source.
std::vector<std::string> Entities(const ComparisonTable& table) {
  std::vector<std::string> entities;
  for (const TableRow& row : table.rows) {
    for (std::size_t i = 0; i < table.metrics.size(); ++i) {
      if (!row.cells[i]) continue;
      entities.push_back(row.model + " " + row.variant + " " + table.metrics[i].key + " = " +
                         std::to_string(row.cells[i]->value));
    }
  }
  return entities;
}

std::vector<std::string> EntitiesOf(LogBuilder& log) {
  return Entities(BuildComparisonTable(CollectFacts(*log.Read())));
}

const auto kExpected = ElementsAre(
    "alexnet fp32 accuracy = 0.750000", "alexnet fp32 latency_mean_ms = 261.000000",
    "alexnet fp32 model_size_mb = 217.500000", "alexnet int8 accuracy = 0.500000",
    "alexnet int8 latency_mean_ms = 217.000000", "alexnet int8 model_size_mb = 9.500000");

const Metrics kFp32 = {{"accuracy", 0.75}, {"latency_mean_ms", 261}, {"model_size_mb", 217.5}};
const Metrics kInt8 = {{"accuracy", 0.5}, {"latency_mean_ms", 217}, {"model_size_mb", 9.5}};

TEST(Dialects, OurOwnWriter) {
  for (const compression::TagScheme scheme :
       {compression::TagScheme::kBoth, compression::TagScheme::kFlat,
        compression::TagScheme::kGroups}) {
    LogBuilder log;
    compression::CompressionOptions options;
    options.tags = scheme;
    CompressionWriter writer(log.Path("exp"), options);
    EXPECT_THAT(writer.LogCompressionComparison("alexnet", kFp32, kInt8), testing::Succeeds());
    EXPECT_THAT(writer.LogCompressionRatios("alexnet", kFp32, kInt8), testing::Succeeds());
    EXPECT_THAT(writer.Close(), testing::Succeeds());
    EXPECT_THAT(EntitiesOf(log), kExpected);
  }
}

TEST(Dialects, TheUpstreamPluginsTags) {
  LogBuilder log;
  log.Scalar("exp", "alexnet/metrics/accuracy/fp32", 0.75)
      .Scalar("exp", "alexnet/metrics/accuracy/int8", 0.5)
      .Scalar("exp", "alexnet/performance/latency_ms/fp32", 261)
      .Scalar("exp", "alexnet/performance/latency/int8", 217)
      .Scalar("exp", "alexnet/performance/model_size_mb/fp32", 217.5)
      .Scalar("exp", "alexnet/performance/model_size_mb/int8", 9.5)
      .Scalar("exp", "alexnet/training/loss", 1);
  EXPECT_THAT(EntitiesOf(log), kExpected);
}

TEST(Dialects, TheGuidesGroupsByTensorboardX) {
  LogBuilder log;
  log.Group("exp", "alexnet/accuracy", {{"fp32", 0.75}, {"int8", 0.5}})
      .Group("exp", "alexnet/latency_ms", {{"fp32", 261}, {"int8", 217}})
      .Group("exp", "alexnet/model_size", {{"fp32", 217.5}, {"int8", 9.5}})
      .Group("exp", "alexnet/loss", {{"train", 1}, {"val", 2}});
  EXPECT_THAT(EntitiesOf(log), kExpected);
}

TEST(Dialects, TheGuidesGroupsByPyTorch) {
  LogBuilder log;
  log.Scalar("exp/alexnet_accuracy_fp32", "alexnet/accuracy", 0.75)
      .Scalar("exp/alexnet_accuracy_int8", "alexnet/accuracy", 0.5)
      .Scalar("exp/alexnet_latency_fp32", "alexnet/latency", 261)
      .Scalar("exp/alexnet_latency_int8", "alexnet/latency", 217)
      .Scalar("exp/alexnet_model_size_fp32", "alexnet/model_size", 217.5)
      .Scalar("exp/alexnet_model_size_int8", "alexnet/model_size", 9.5);
  EXPECT_THAT(EntitiesOf(log), kExpected);
}

TEST(Dialects, ARunPerVariant) {
  LogBuilder log;
  for (const auto& [variant, metrics] : {std::pair("fp32", kFp32), std::pair("int8", kInt8)}) {
    for (const auto& [key, value] : metrics) {
      log.Scalar(std::string("runs/") + variant, "alexnet/metrics/" + key + "/" + variant, value);
    }
  }
  EXPECT_THAT(EntitiesOf(log), kExpected);
}

TEST(Dialects, TuningRunsGiveVariantsAndAccuracies) {
  LogBuilder log;
  log.Scalar("eval/baseline_acc_0.776", "anything", 1)
      .Scalar("eval/tune_1_acc_0.095", "performance/latency_ms", 12)
      .Scalar("eval/tune_1_acc_0.095", "accuracy", 0.5);  // The tool derived this name.
  const ComparisonTable table = BuildComparisonTable(CollectFacts(*log.Read()));
  EXPECT_THAT(Entities(table),
              ElementsAre("eval baseline accuracy = 0.776000", "eval tune_1 accuracy = 0.095000",
                          "eval tune_1 latency_mean_ms = 12.000000"));
  const Cell& accuracy = *table.rows[1].cells[*table.FindMetric("accuracy")];
  EXPECT_EQ(accuracy.source.run, "eval/tune_1_acc_0.095");
  EXPECT_EQ(accuracy.source.tag, "");
}

TEST(Dialects, TuningRunsByLogdirSpec) {
  LogBuilder log;
  log.Scalar("baseline_acc_0.776", "x", 1).Scalar("tune_1_acc_0.095", "x", 1);
  log.Close();
  // With slashes at the end, as in the tuning guide.
  const auto logdirs =
      reader::ParseLogdirSpec("baseline:" + log.Path("baseline_acc_0.776").string() +
                              "/,tune_1:" + log.Path("tune_1_acc_0.095").string() + "/");
  ASSERT_THAT(logdirs, testing::Succeeds());
  const ComparisonTable table = BuildComparisonTable(CollectFacts(*log.Read(*logdirs)));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].variant, "baseline");
  EXPECT_EQ(table.rows[1].variant, "tune_1");
  EXPECT_EQ(table.MetricsOf(1).at("accuracy"), 0.095);
}

TEST(Dialects, TakesTheLastValueOfACurve) {
  LogBuilder log;
  log.Scalar("r", "m/metrics/accuracy/fp32", 0.5, 1)
      .Scalar("r", "m/metrics/accuracy/fp32", 0.75, 2)
      .Scalar("r", "m/metrics/accuracy/int8", 0.25, 9);
  const ComparisonTable table = BuildComparisonTable(CollectFacts(*log.Read()));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].cells[0]->value, 0.75);
  EXPECT_EQ(table.rows[0].cells[0]->source.step, 2);
}

TEST(Dialects, KeepsTheScoreThatWasLogged) {
  LogBuilder log;
  CompressionWriter writer(log.Path("exp"));
  EXPECT_THAT(writer.LogAurora("alexnet", kFp32, kInt8), testing::Succeeds());
  EXPECT_THAT(writer.LogCompressionComparison("alexnet", kFp32, kInt8), testing::Succeeds());
  EXPECT_THAT(writer.Close(), testing::Succeeds());
  const ComparisonTable table = BuildComparisonTable(CollectFacts(*log.Read()));
  const auto aurora = CompareRows(table, 1, 0).aurora;
  EXPECT_FALSE(aurora.computed);
  EXPECT_EQ(aurora.formula, "v1");
  EXPECT_NEAR(*aurora.score, compression::ComputeAurora(kFp32, kInt8)->score, 1e-6);
  EXPECT_NEAR(*aurora.coverage, 0.55, 1e-9);
  EXPECT_THAT(aurora.factors, ::testing::SizeIs(3));
}

}  // namespace
}  // namespace cboard::analysis
