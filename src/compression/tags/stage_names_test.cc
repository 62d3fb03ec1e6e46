#include "cboard/compression/stage_names.h"

#include <gtest/gtest.h>

namespace cboard::compression {
namespace {

TEST(DescribeStage, PutsTheStagesOfTheNewestVersionInOrder) {
  int last = 0;
  for (const char* name :
       {"initial_graph", "after_graph_preparation", "after_folding",
        "pre_statistics_collection_substitutions", "after_graph_marking",
        "after_candidates_filtering", "after_equalization", "after_statistic_collection",
        "after_calibration", "thresholds_selection", "after_shift_negative_correction",
        "post_statistics_collection_substitutions", "statistics_computation",
        "after_statistics_correction", "after_activation_bias_correction", "after_bias_correction",
        "after_gptq", "after_quantization"}) {
    const auto stage = DescribeStage(name);
    ASSERT_TRUE(stage) << name;
    EXPECT_EQ(stage->name, name);
    EXPECT_GT(stage->order, last) << name;
    last = stage->order;
  }
}

TEST(DescribeStage, KnowsTheNamesOfOlderVersions) {
  EXPECT_EQ(DescribeStage("after_analyzer_graph")->name, "after_statistic_collection");
  EXPECT_EQ(DescribeStage("bias_correction_computation")->name, "statistics_computation");
  EXPECT_EQ(DescribeStage("after_kd")->name, "after_gptq");
}

TEST(DescribeStage, KnowsFromWhereOnWeightsAreQuantized) {
  EXPECT_FALSE(DescribeStage("after_statistic_collection")->quantized);
  EXPECT_TRUE(DescribeStage("thresholds_selection")->quantized);
}

TEST(DescribeStage, KnowsNothingElse) {
  for (const char* name : {"", "figures", "train", "initial_graph2", "min_per_channel"}) {
    EXPECT_FALSE(DescribeStage(name)) << name;
  }
}

TEST(StageNames, AreThoseOfTheNewestVersionInOrder) {
  ASSERT_EQ(StageNames().size(), 18u);
  EXPECT_EQ(StageNames().front(), "initial_graph");
  EXPECT_EQ(StageNames().back(), "after_quantization");
  for (const std::string_view name : StageNames()) EXPECT_EQ(DescribeStage(name)->name, name);
}

}  // namespace
}  // namespace cboard::compression
