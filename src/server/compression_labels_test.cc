#include "server/compression_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/run_builder.h"
#include "testing/temp_dir.h"

namespace cboard {
namespace {

TEST(ParseLabel, ReadsWhatOurWritersStore) {
  const auto label = ParseLabel(
      R"({"v":1,"model":"org/net","variant":"int8","metric":"latency_mean_ms","unit":"ms","better":"lower"})");
  ASSERT_TRUE(label);
  EXPECT_EQ(label->kind, LabelKind::kMetric);
  EXPECT_EQ(label->model, "org/net");
  EXPECT_EQ(label->variant, "int8");
  EXPECT_EQ(label->metric, "latency_mean_ms");
  EXPECT_EQ(label->unit, "ms");
  EXPECT_EQ(label->better, Better::kLower);
  EXPECT_FALSE(label->from_tag);
}

TEST(ParseLabel, TakesABaselineForARatio) {
  const auto label = ParseLabel(
      R"({"model":"m","variant":"int4","baseline":"bf16","metric":"aurora","coverage":0.75})");
  ASSERT_TRUE(label);
  EXPECT_EQ(label->kind, LabelKind::kRatio);
  EXPECT_EQ(label->baseline, "bf16");
  EXPECT_EQ(label->coverage, 0.75);
}

TEST(ParseLabel, GivesNothingForAnythingElse) {
  for (const char* content : {"", "{", "[]", "7", "{}", R"({"model":"m","variant":"int8"})",
                              R"({"model":7,"variant":"int8","metric":"x"})", "\x08\x01"}) {
    EXPECT_FALSE(ParseLabel(content)) << content;
  }
  EXPECT_FALSE(ParseLabel(std::string(1 << 20, ' ')));
}

TEST(LabelOfTag, ReadsMetricsFromTheEnd) {
  const auto label = LabelOfTag("org/resnet18/performance/latency_ms/int8");
  ASSERT_TRUE(label);
  EXPECT_EQ(label->kind, LabelKind::kMetric);
  EXPECT_EQ(label->model, "org/resnet18");
  EXPECT_EQ(label->metric, "latency_mean_ms");
  EXPECT_EQ(label->variant, "int8");
  EXPECT_EQ(label->unit, "ms");
  EXPECT_TRUE(label->from_tag);
}

TEST(LabelOfTag, KnowsTheOtherSpellings) {
  EXPECT_EQ(LabelOfTag("m/performance/energy_mw/fp32")->metric, "energy_consumption_mw");
  EXPECT_EQ(LabelOfTag("m/performance/memory_usage/fp32")->metric, "memory_usage_mb");
  EXPECT_EQ(LabelOfTag("m/metrics/accuracy/w4%2Fa8")->variant, "w4/a8");
}

TEST(LabelOfTag, ReadsRatios) {
  const auto usual = LabelOfTag("m/compression/size_ratio");
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->kind, LabelKind::kRatio);
  EXPECT_EQ(usual->variant, "int8");
  EXPECT_EQ(usual->metric, "size_ratio");
  EXPECT_EQ(LabelOfTag("m/compression/size_ratio/int4")->variant, "int4");
  EXPECT_EQ(LabelOfTag("m/compression/aurora/quality")->metric, "aurora/quality");
  EXPECT_EQ(LabelOfTag("m/compression/aurora/int4")->metric, "aurora");
}

TEST(LabelOfTag, LeavesOrdinaryTagsAlone) {
  for (const char* tag :
       {"", "/", "loss", "train/loss", "metrics/accuracy/int8", "compression/ratio",
        "m/training/loss", "//metrics/accuracy/int8", "m/metrics/accuracy", "m/metrics//int8",
        "m/metrics/%/int8", "m/metrics/accuracy/%"}) {
    EXPECT_FALSE(LabelOfTag(tag)) << tag;
  }
}

TEST(LabelsOfRun, PrefersStoredLabelsToTags) {
  const testing::TempDir directory;
  testing::WriteBytes(
      testing::EventFile(directory.path()),
      testing::ScalarRecord("a/metrics/accuracy/fp32", 1, 0) +
          testing::LabelledRecord("b/metrics/accuracy/int8", 1,
                                  R"({"model":"B","variant":"i8","metric":"accuracy"})") +
          testing::LabelledRecord("c/metrics/accuracy/int8", 1, "not JSON") +
          testing::ScalarRecord("loss", 1, 0));
  std::vector<Error> unreadable;
  const auto runs = FindRuns(directory.path(), unreadable);
  ASSERT_TRUE(runs);
  const auto labels = LabelsOfRun(ScanRun(runs->front()));
  ASSERT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels.at("a/metrics/accuracy/fp32").model, "a");
  EXPECT_EQ(labels.at("b/metrics/accuracy/int8").model, "B");
  EXPECT_EQ(labels.at("b/metrics/accuracy/int8").variant, "i8");
  EXPECT_EQ(labels.at("c/metrics/accuracy/int8").model, "c");
}

}  // namespace
}  // namespace cboard
