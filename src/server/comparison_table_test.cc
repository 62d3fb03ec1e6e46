#include "server/comparison_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "server/run_builder.h"

namespace cboard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using testing::RunBuilder;

const ComparisonColumn* Find(const std::vector<ComparisonColumn>& columns, std::string_view key) {
  const auto found = std::ranges::find(columns, key, &ComparisonColumn::key);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string> VariantsOf(const ComparisonTable& table) {
  std::vector<std::string> variants;
  for (const ComparisonRow& row : table.rows) variants.push_back(row.variant);
  return variants;
}

TEST(BuildComparison, PutsTheBaselineFirstAndComputesRatios) {
  const ComparisonTable table =
      BuildComparison({RunBuilder("imported/net")
                           .Scalar("net/metrics/accuracy/fp32", {0.75})
                           .Scalar("net/metrics/accuracy/int8", {0.5})
                           .Scalar("net/performance/model_size_mb/fp32", {8})
                           .Scalar("net/performance/model_size_mb/int8", {2})
                           .Build()});
  EXPECT_THAT(VariantsOf(table), ElementsAre("fp32", "int8"));
  EXPECT_EQ(table.rows[1].run, "imported/net");
  EXPECT_EQ(table.rows[1].baseline, "fp32");
  ASSERT_NE(Find(table.metrics, "accuracy"), nullptr);
  EXPECT_THAT(Find(table.metrics, "accuracy")->values, ElementsAre(Optional(0.75), Optional(0.5)));
  ASSERT_NE(Find(table.ratios, "size_ratio"), nullptr);
  EXPECT_THAT(Find(table.ratios, "size_ratio")->values, ElementsAre(std::nullopt, Optional(4.0)));
  EXPECT_TRUE(Find(table.ratios, "size_ratio")->computed[1]);
  EXPECT_THAT(Find(table.ratios, "accuracy_drop")->values,
              ElementsAre(std::nullopt, Optional(0.25)));
}

TEST(BuildComparison, TakesLoggedRatiosAsTheyAre) {
  const ComparisonTable table =
      BuildComparison({RunBuilder("net")
                           .Scalar("net/performance/model_size_mb/fp32", {8})
                           .Scalar("net/performance/model_size_mb/int8", {2})
                           .Scalar("net/compression/size_ratio", {3.9})
                           .Scalar("net/compression/aurora", {1.5})
                           .Build()});
  EXPECT_THAT(Find(table.ratios, "size_ratio")->values[1], Optional(3.9));
  EXPECT_FALSE(Find(table.ratios, "size_ratio")->computed[1]);
  EXPECT_THAT(table.aurora.scores[1], Optional(1.5));
  EXPECT_FALSE(table.aurora.computed[1]);
}

TEST(BuildComparison, TellsMissingFromNotANumber) {
  const ComparisonTable table =
      BuildComparison({RunBuilder("net")
                           .Scalar("net/metrics/accuracy/fp32", {0.75})
                           .Scalar("net/metrics/loss/int8", {std::nan("")})
                           .Build()});
  const std::string json = ToJson(table);
  EXPECT_THAT(json, HasSubstr(R"("values":[0.75,null])"));
  EXPECT_THAT(json, HasSubstr(R"("values":[null,"NaN"])"));
}

TEST(BuildComparison, SaysWhyThereIsNoScore) {
  const ComparisonTable table = BuildComparison({RunBuilder("net")
                                                     .Scalar("net/metrics/accuracy/fp32", {0.75})
                                                     .Scalar("net/metrics/accuracy/int8", {0.5})
                                                     .Build()});
  EXPECT_EQ(table.aurora.scores[1], std::nullopt);
  EXPECT_THAT(table.aurora.reasons[1], HasSubstr("throughput"));
}

TEST(BuildComparison, ComparesAnyVariantsWithTheBaselineThatWasStored) {
  const auto label = [](const char* variant, const char* baseline) {
    return CompressionLabel{.kind = LabelKind::kRatio,
                            .model = "llm",
                            .variant = variant,
                            .baseline = baseline,
                            .metric = "accuracy_drop"};
  };
  const ComparisonTable table =
      BuildComparison({RunBuilder("llm")
                           .Scalar("llm/metrics/accuracy/awq", {0.5})
                           .Scalar("llm/metrics/accuracy/gptq", {0.5})
                           .Scalar("llm/metrics/accuracy/teacher", {0.6})
                           .Scalar("llm/compression/accuracy_drop/awq", {0.1})
                           .Label("llm/compression/accuracy_drop/awq", label("awq", "teacher"))
                           .Build()});
  EXPECT_THAT(VariantsOf(table), ElementsAre("teacher", "awq", "gptq"));
}

TEST(BuildComparison, KeepsModelsOfDifferentRunsApart) {
  const auto run = [](const char* name) {
    return RunBuilder(name)
        .Scalar("net/metrics/accuracy/fp32", {0.75})
        .Scalar("net/metrics/accuracy/int8", {0.5})
        .Build();
  };
  EXPECT_EQ(BuildComparison({run("a/net"), run("b/net")}).rows.size(), 4u);
}

TEST(BuildComparison, DoesNotTakeATrainingLogForAModel) {
  const ComparisonTable table =
      BuildComparison({RunBuilder("train").Scalar("train/metrics/loss/total", {1, 2}).Build()});
  EXPECT_TRUE(table.rows.empty());
  EXPECT_EQ(ToJson(ComparisonTable{}),
            R"({"runs":[],"models":[],"variants":[],"baselines":[],"metrics":[],"ratios":[],)"
            R"("aurora":{"values":[],"coverages":[],"computed":[],"reasons":[]}})");
}

}  // namespace
}  // namespace cboard
