#include "cboard/analysis/model_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/log_builder.h"
#include "cboard/analysis/model_summary.h"
#include "cboard/analysis/snapshot_table.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Metrics kBefore = {
    {"accuracy", 0.9}, {"model_size_mb", 40}, {"latency_mean_ms", 20}, {"throughput", 50}};

ModelVerdict VerdictFor(const Metrics& before, const Metrics& after,
                        const LayerDamage& layers = {}) {
  return VerdictOnModel(CheckPolicy(*FindPolicy("balanced"), before, after), layers);
}

TEST(ModelVerdict, PassesOnlyWhenEveryGateWasMeasured) {
  const ModelVerdict all =
      VerdictFor(kBefore, {{"accuracy", 0.895}, {"model_size_mb", 10}, {"latency_mean_ms", 10}});
  EXPECT_EQ(all.state, VerdictState::kPass);
  EXPECT_EQ(all.text, "passes all 3 gates");
  const ModelVerdict some = VerdictFor(kBefore, {{"accuracy", 0.895}});
  EXPECT_EQ(some.state, VerdictState::kIncomplete);
  EXPECT_THAT(some.not_measured, ElementsAre("ratio", "speedup"));
  EXPECT_EQ(some.text, "passes 1 of 3 gates; ratio, speedup not measured");
}

TEST(ModelVerdict, IsNotCheckedWhenNothingWasMeasured) {
  const ModelVerdict verdict = VerdictFor({}, {});
  EXPECT_EQ(verdict.state, VerdictState::kNotChecked);
  EXPECT_EQ(verdict.text, "not checked: drop, ratio, speedup not measured");
}

TEST(ModelVerdict, TakesSpeedFromLatencyOrThroughput) {
  const Metrics by_throughput = {{"accuracy", 0.9}, {"model_size_mb", 10}, {"throughput", 100}};
  EXPECT_EQ(VerdictFor(kBefore, by_throughput).state, VerdictState::kPass);
  Metrics slower = by_throughput;
  slower["latency_mean_ms"] = 30;
  EXPECT_THAT(VerdictFor(kBefore, slower).fails, ElementsAre("speedup 0.67 < 1.2×"));
}

TEST(ModelVerdict, FailsByALayerThatNoGateSees) {
  const Metrics after = {{"accuracy", 0.9}, {"model_size_mb", 10}, {"latency_mean_ms", 10}};
  const ModelVerdict verdict =
      VerdictFor(kBefore, after, {.counts = {.red = 1, .green = 4}, .worst_layer = "conv2"});
  EXPECT_EQ(verdict.state, VerdictState::kFail);
  EXPECT_EQ(verdict.text, "1 of 5 layers fails, the worst 'conv2'");
  EXPECT_EQ(VerdictFor(kBefore, after, {.counts = {.amber = 2, .green = 3}}).state,
            VerdictState::kWatch);
}

TEST(ModelVerdict, FailsByBrokenOutputsAndWatchesDegradedOnes) {
  const Metrics after = {{"accuracy", 0.9}, {"model_size_mb", 10}, {"latency_mean_ms", 10}};
  const auto verdict_for = [&](std::string level, std::string sentence) {
    return VerdictFor(
        kBefore, after,
        {.counts = {.green = 5}, .outputs = OutputsVerdict{.level = level, .sentence = sentence}});
  };
  const ModelVerdict broken = verdict_for("broken", "Broken: all scores became 0.");
  EXPECT_EQ(broken.state, VerdictState::kFail);
  EXPECT_EQ(broken.text, "Broken: all scores became 0");
  const ModelVerdict degraded = verdict_for("degraded", "Degraded: SQNR 12 dB.");
  EXPECT_EQ(degraded.state, VerdictState::kWatch);
  EXPECT_EQ(degraded.text, "Degraded: SQNR 12 dB; passes all 3 gates; 5 layers without damage");
  EXPECT_EQ(verdict_for("sound", "Sound: SQNR 40 dB.").state, VerdictState::kPass);
  EXPECT_EQ(verdict_for("not_measured", "").state, VerdictState::kPass);
}

TEST(ModelVerdict, SaysThatLayersWereNotMeasured) {
  const ModelVerdict verdict =
      VerdictFor(kBefore, {{"accuracy", 0.9}}, {.not_measured = "only float values"});
  EXPECT_EQ(verdict.state, VerdictState::kIncomplete);
  EXPECT_THAT(verdict.text, HasSubstr("layers not measured"));
  EXPECT_THAT(VerdictFor({}, {}, {.counts = {.unmeasured = 3}}).state, VerdictState::kNotChecked);
}

TEST(ModelVerdict, JoinsAContractWithTheLayersOfTheSameVariant) {
  const Contract contract{.gates = {{.id = "quality", .metric = "accuracy", .min = 0.7}}};
  const ContractResult result{
      .results = {{.gate = 0, .model = "net", .variant = "int8", .value = 0.9}}};
  const LayerSubject subject{
      .name = "net", .model = "net", .variant = "int8", .rank = [] {
        LayerRanking ranking;
        ranking.layers.push_back({.baseline = {.layer = "conv2"},
                                  .diagnosis = {.level = Level::kRed, .explanation = "lost"}});
        return ranking;
      }};
  const auto verdicts = VerdictsOnContract(contract, result, std::span(&subject, 1));
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].verdict.state, VerdictState::kFail);
  EXPECT_EQ(verdicts[0].verdict.text, "1 of 1 layer fails, the worst 'conv2'");
}

TEST(Summary, HasOneSpeedupHowManyMetricsSpeakOfIt) {
  LogBuilder log;
  const auto add = [&](const std::string& model, const std::string& metric, double a, double b) {
    log.Scalar("zoo", model + "/performance/" + metric + "/fp32", a)
        .Scalar("zoo", model + "/performance/" + metric + "/int8", b);
  };
  for (const char* model : {"a", "b"}) add(model, "latency_ms", 233, 100);
  add("c", "throughput", 10, 119);
  const auto snapshot = log.Read();
  const Summary summary = Summarize(snapshot, TableOf(*snapshot));
  std::vector<std::string> figures;
  for (const Headline& headline : summary.headlines) {
    figures.push_back(headline.name + " " + headline.figure + ", " + headline.note);
  }
  EXPECT_THAT(figures, ElementsAre("Best speedup 2.33×, 2 measured, by latency"));
  EXPECT_EQ(summary.verdicts.pass, 0u);
  EXPECT_EQ(summary.verdicts.incomplete, 3u);
}

TEST(Summary, IncludesTheLayersInTheVerdict) {
  LogBuilder log;
  log.Scalar("r", "net/metrics/accuracy/fp32", 0.9)
      .Scalar("r", "net/metrics/accuracy/int8", 0.9)
      .Scalar("r", "net/layers/conv1/sqnr_db/int8", 40)
      .Scalar("r", "net/layers/conv2/sqnr_db/int8", 6);
  const auto snapshot = log.Read();
  const Summary summary = Summarize(snapshot, TableOf(*snapshot));
  ASSERT_EQ(summary.models.size(), 1u);
  EXPECT_EQ(summary.models[0].verdict.state, VerdictState::kFail);
  EXPECT_THAT(summary.models[0].verdict.fails,
              ElementsAre("1 of 2 layers fails, the worst 'conv2'"));
  EXPECT_THAT(summary.models[0].damage.not_measured, IsEmpty());
}

}  // namespace
}  // namespace cboard::analysis
