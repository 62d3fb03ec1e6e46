#include "cboard/analysis/parsed_tag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/compression/tags.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::Pair;

// Formats "experiment | model | variant | metric", which every tag format must give.
std::string EntityOf(const ScalarName& scalar) {
  const auto meaning = ParseTag(scalar);
  if (!meaning) return "nothing";
  return meaning->experiment + " | " + meaning->model + " | " + meaning->variant + " | " +
         meaning->metric;
}

TEST(ParseTag, GivesTheSameEntityForEveryDialect) {
  const std::string content =
      compression::LabelsOf(compression::DescribeMetric("latency_mean_ms"), "alexnet", "int8")
          .plugin_content;
  const std::string expected = "exp | alexnet | int8 | latency_mean_ms";
  EXPECT_EQ(EntityOf({.run = "exp",
                      .tag = "whatever/the/tag/says",
                      .plugin_name = "compression_board",
                      .plugin_content = content}),
            expected);
  for (const char* tag : {"alexnet/performance/latency_ms/int8", "alexnet/performance/latency/int8",
                          "alexnet/metrics/latency_mean_ms/int8"}) {
    EXPECT_EQ(EntityOf({.run = "exp", .tag = tag}), expected) << tag;
  }
  for (const char* group : {"alexnet/latency", "alexnet/latency_ms"}) {
    EXPECT_EQ(EntityOf({.run = "exp/" + std::string(group) + "/int8", .tag = group}), expected);
  }
  EXPECT_EQ(EntityOf({.run = "exp/alexnet_latency_int8", .tag = "alexnet/latency"}), expected);
  EXPECT_EQ(EntityOf({.run = "exp/alexnet_latency_ms_int8", .tag = "alexnet/latency_ms"}),
            expected);
}

TEST(ParseTag, KnowsEveryAliasOfTheUpstreamPlugin) {
  const auto metric = [](std::string_view tag) { return ParseFlatTag(tag)->metric; };
  EXPECT_EQ(metric("m/performance/memory_usage/fp32"), "memory_usage_mb");
  EXPECT_EQ(metric("m/performance/memory_usage_mb/fp32"), "memory_usage_mb");
  EXPECT_EQ(metric("m/performance/gpu_memory_mb/fp32"), "gpu_memory_usage_mb");
  EXPECT_EQ(metric("m/performance/energy/fp32"), "energy_consumption_mw");
  EXPECT_EQ(metric("m/performance/energy_mw/fp32"), "energy_consumption_mw");
  EXPECT_EQ(metric("m/performance/energy_consumption_mw/fp32"), "energy_consumption_mw");
}

TEST(ParseTag, GivesUnitAndDirectionFromTheVocabulary) {
  const auto power = ParseFlatTag("m/performance/energy_mw/fp32");
  EXPECT_EQ(power->unit, "mW");
  EXPECT_EQ(power->better, compression::Better::kLower);
  EXPECT_EQ(ParseFlatTag("m/metrics/accuracy/fp32")->better, compression::Better::kHigher);
}

TEST(ParseTag, FindsTheExperimentAtTheTopOfALogDirectory) {
  EXPECT_EQ(EntityOf({.run = ".", .tag = "net/metrics/accuracy/fp32"}),
            ". | net | fp32 | accuracy");
  EXPECT_EQ(EntityOf({.run = "net/accuracy/fp32", .tag = "net/accuracy"}),
            ". | net | fp32 | accuracy");
  EXPECT_EQ(EntityOf({.run = "net_accuracy_fp32", .tag = "net/accuracy"}),
            ". | net | fp32 | accuracy");
  EXPECT_EQ(EntityOf({.run = "spec/.", .tag = "net/metrics/accuracy/fp32"}),
            "spec | net | fp32 | accuracy");
}

TEST(ParseTag, ReadsModelsWithSlashesFromTheEnd) {
  EXPECT_EQ(EntityOf({.run = "r", .tag = "facebook/opt-6.7b/metrics/accuracy/int4"}),
            "r | facebook/opt-6.7b | int4 | accuracy");
  EXPECT_EQ(
      EntityOf({.run = "r/facebook/opt-6.7b/accuracy/int4", .tag = "facebook/opt-6.7b/accuracy"}),
      "r | facebook/opt-6.7b | int4 | accuracy");
  EXPECT_EQ(
      EntityOf({.run = "r/facebook_opt-6.7b_accuracy_int4", .tag = "facebook/opt-6.7b/accuracy"}),
      "r | facebook/opt-6.7b | int4 | accuracy");
}

TEST(ParseTag, MatchesDirectoriesThatKeepWhatTagsMayNotHave) {
  EXPECT_EQ(EntityOf({.run = "r/my net/accuracy/W4 asym", .tag = "my_net/accuracy"}),
            "r | my_net | W4 asym | accuracy");
  EXPECT_EQ(EntityOf({.run = "r/net/accuracy/a%2Fb", .tag = "net/accuracy"}),
            "r | net | a/b | accuracy");
}

TEST(ParseTag, LeavesOtherPeoplesScalarsAlone) {
  EXPECT_EQ(EntityOf({.run = "r", .tag = "loss"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r", .tag = "alexnet/training/loss"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r/net/loss/train", .tag = "net/loss"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r/net_loss_val", .tag = "net/loss"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r", .tag = "net/metrics/loss/val"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r/data/scalar_group/xsinx", .tag = "data/scalar_group"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r", .tag = "net//metrics/loss/a"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r", .tag = "net/metrics/loss/%"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "r", .tag = ""}), "nothing");
}

TEST(ParseTag, TakesTheRunForTheModelWhenTagsNameNone) {
  EXPECT_EQ(EntityOf({.run = "bench/alexnet", .tag = "metrics/accuracy/fp32"}),
            "bench/alexnet | alexnet | fp32 | accuracy");
  EXPECT_EQ(EntityOf({.run = ".", .tag = "metrics/accuracy/fp32"}), "nothing");
  // Writers store an empty name as "%".
  EXPECT_EQ(EntityOf({.run = "bench/alexnet", .tag = "metrics/accuracy/%"}), "nothing");
  EXPECT_EQ(EntityOf({.run = "bench/%", .tag = "metrics/accuracy/fp32"}), "nothing");
}

TEST(ParseTag, ReadsScalarsOfTuningRuns) {
  EXPECT_EQ(EntityOf({.run = "eval/tune_2_acc_0.5", .tag = "accuracy"}),
            "eval | eval | tune_2 | accuracy");
  EXPECT_EQ(EntityOf({.run = "eval/tune_0_acc0.80", .tag = "performance/latency_ms"}),
            "eval | eval | baseline | latency_mean_ms");
  EXPECT_EQ(EntityOf({.run = "eval/tune_2/hp", .tag = "hparam/accuracy"}),
            "eval | eval | tune_2 | accuracy");
  EXPECT_EQ(EntityOf({.run = "eval/tune_2", .tag = "somebody/elses"}), "nothing");
}

TEST(ParseTag, ReadsRatiosWithAndWithoutVariant) {
  const auto usual = ParseFlatTag("m/compression/size_ratio");
  EXPECT_EQ(usual->kind, FactKind::kRatio);
  EXPECT_EQ(usual->variant, "int8");
  EXPECT_EQ(ParseFlatTag("m/compression/size_ratio/w4a8")->variant, "w4a8");
  EXPECT_EQ(ParseFlatTag("m/compression/aurora/quality")->metric, "aurora/quality");
  EXPECT_EQ(ParseFlatTag("m/compression/aurora/quality")->variant, "int8");
  const auto factor = ParseFlatTag("m/compression/aurora/quality/w4a8");
  EXPECT_EQ(factor->metric, "aurora/quality");
  EXPECT_EQ(factor->variant, "w4a8");
  EXPECT_EQ(factor->model, "m");
}

TEST(ParseMetadata, KeepsHowAScoreWasMade) {
  compression::AuroraOptions options;
  options.measured_on = "board 7";
  const auto score =
      compression::ComputeAurora({{"accuracy", .5}, {"latency_mean_ms", 2}},
                                 {{"accuracy", .5}, {"latency_mean_ms", 1}}, options);
  const auto meaning = ParseMetadata(
      compression::LabelsOfAurora("aurora", *score, options, "net", "int8", "fp32").plugin_content);
  ASSERT_TRUE(meaning);
  EXPECT_EQ(meaning->baseline, "fp32");
  EXPECT_EQ(meaning->aurora.formula, "v1");
  EXPECT_EQ(meaning->aurora.measured_on, "board 7");
  EXPECT_THAT(meaning->aurora.coverage, Optional(0.55));
  EXPECT_THAT(meaning->aurora.weights, ElementsAre(Pair("quality", 0.4), Pair("latency", 0.15)));
}

TEST(ParseMetadata, IgnoresWhatIsNotALabel) {
  for (const char* content : {"", "{", "[]", "7", R"({"v":1,"model":"m","variant":"v"})",
                              R"({"v":1,"model":"","variant":"v","metric":"x"})",
                              R"({"v":2,"model":"m","variant":"v","metric":"x"})"}) {
    EXPECT_FALSE(ParseMetadata(content)) << content;
  }
  EXPECT_FALSE(ParseMetadata(std::string(100'000, '{')));
}

TEST(IsKnownVariant, KnowsPrecisionsAndNumberedFamilies) {
  for (const char* name : {"fp32", "int8", "w4a8", "pruned50", "tune_3", "baseline"}) {
    EXPECT_TRUE(IsKnownVariant(name)) << name;
  }
  for (const char* name : {"", "total", "loss1", "x8"}) EXPECT_FALSE(IsKnownVariant(name)) << name;
}

}  // namespace
}  // namespace cboard::analysis
