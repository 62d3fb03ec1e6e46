#include "cboard/analysis/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/testing/fact_builder.h"
#include "testing/matchers.h"

namespace cboard::analysis {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;
using testing::Succeeds;

ComparisonTable Pair(double fp32, double int8) {
  return BuildComparisonTable({FactOf("r", "net/metrics/accuracy/fp32", fp32),
                               FactOf("r", "net/metrics/accuracy/int8", int8),
                               FactOf("r", "net/performance/latency_ms/fp32", 10),
                               FactOf("r", "net/performance/latency_ms/int8", 12)});
}

GateResult CheckOne(const ComparisonTable& table, const std::string& gate) {
  const auto contract = ParseContract(R"({"gates":[)" + gate + "]}");
  EXPECT_THAT(contract, Succeeds());
  const auto result = CheckContract(*contract, table);
  EXPECT_THAT(result, Succeeds());
  return result->results.at(0);
}

TEST(CheckContract, PassesAndFailsByAbsoluteLimits) {
  const ComparisonTable table = Pair(0.75, 0.5);
  EXPECT_EQ(CheckOne(table, R"({"metric":{"name":"accuracy"},"absolute":{"min":0.5}})").outcome,
            GateOutcome::kPass);
  const GateResult low =
      CheckOne(table, R"({"metric":{"name":"accuracy"},"absolute":{"min":0.7}})");
  EXPECT_EQ(low.outcome, GateOutcome::kFail);
  EXPECT_EQ(low.explanation, "accuracy is 0.5, below the least, 0.7");
  EXPECT_EQ(CheckOne(table, R"({"metric":{"name":"latency_ms"},"absolute":{"max":11}})").outcome,
            GateOutcome::kFail);
}

TEST(CheckContract, MeasuresDegradationByDirection) {
  const ComparisonTable table = Pair(0.80, 0.76);
  const auto outcome = [&](const char* gate) { return CheckOne(table, gate).outcome; };
  EXPECT_EQ(outcome(R"({"metric":{"name":"accuracy"},"relative_degradation":{"max_abs":0.05}})"),
            GateOutcome::kPass);
  EXPECT_EQ(outcome(R"({"metric":{"name":"accuracy"},"relative_degradation":{"max_pct":4.9}})"),
            GateOutcome::kFail);
  // Latency grew by 20 %; lower is better, by the description of the metric and by the contract.
  EXPECT_EQ(outcome(R"({"metric":{"name":"latency_ms"},"relative_degradation":{"max_pct":19}})"),
            GateOutcome::kFail);
  EXPECT_EQ(outcome(R"({"metric":{"name":"latency_ms"},"direction":"lower_is_better",
                        "relative_degradation":{"max_pct":21}})"),
            GateOutcome::kPass);
  EXPECT_EQ(outcome(R"({"metric":{"name":"latency_ms"},"direction":"higher_is_better",
                        "relative_degradation":{"max_pct":0}})"),
            GateOutcome::kPass);
}

TEST(CheckContract, TakesRatiosAndScoresAsMetrics) {
  const ComparisonTable table = Pair(0.80, 0.76);
  EXPECT_EQ(CheckOne(table, R"({"metric":{"name":"speedup"},"absolute":{"min":1}})").outcome,
            GateOutcome::kFail);
  EXPECT_EQ(
      CheckOne(table, R"({"metric":{"name":"accuracy_drop"},"absolute":{"max":0.05}})").outcome,
      GateOutcome::kPass);
  EXPECT_EQ(CheckOne(table, R"({"metric":{"name":"aurora"},"absolute":{"min":0.1}})").outcome,
            GateOutcome::kPass);
}

TEST(CheckContract, CountsMissingAndNotANumberAsFailure) {
  const auto contract =
      ParseContract(R"({"gates":[{"metric":{"name":"model_size_mb"},"absolute":{"max":9}}]})");
  const auto missing = CheckContract(*contract, Pair(0.8, 0.7));
  ASSERT_THAT(missing, Succeeds());
  EXPECT_EQ(missing->results[0].outcome, GateOutcome::kMissing);
  EXPECT_THAT(missing->results[0].explanation,
              HasSubstr("model_size_mb of 'int8' is not logged; there are '"));
  EXPECT_EQ(missing->exit_code(), 1);
  EXPECT_EQ(CheckOne(Pair(0.8, std::nan("")), R"({"metric":{"name":"accuracy"}})").outcome,
            GateOutcome::kFail);
  EXPECT_EQ(CheckOne(Pair(std::nan(""), 0.8), R"({"metric":{"name":"accuracy"},
                      "relative_degradation":{"max_pct":1}})")
                .outcome,
            GateOutcome::kFail);
}

TEST(CheckContract, SaysWhatThereIsInsteadOfAMetricTheMostAlikeFirst) {
  EXPECT_THAT(CheckOne(Pair(0.8, 0.7), "{metric: acuracy, min: 0.5}").explanation,
              StartsWith("acuracy of 'int8' is not logged; there are 'accuracy', '"));
}

TEST(CheckContract, RemarksOnExceptionsThatLeaveOutNoLayerOfAnyModel) {
  const auto contract = ParseContract(
      "{gates: [{id: sound, layers: '*', except: [head, first*, second], metric: cosine, min: "
      "0}]}");
  ASSERT_THAT(contract, Succeeds());
  const auto subject = [](const std::string& layer) {
    const RankedLayer ranked{
        .baseline = {.layer = layer}, .variant = {.layer = layer}, .logged = {{"cosine", 1}}};
    const RankedLayer other{
        .baseline = {.layer = "x"}, .variant = {.layer = "x"}, .logged = {{"cosine", 1}}};
    return LayerSubject{.name = layer, .model = layer, .variant = "int8", .rank = [=] {
                          return LayerRanking{.layers = {ranked, other}};
                        }};
  };
  const auto result = CheckContract(*contract, {}, {},
                                    std::vector{subject("/first/Conv"), subject("/second/Gemm")});
  ASSERT_THAT(result, Succeeds());
  EXPECT_TRUE(result->passed());
  ASSERT_EQ(result->remarks.size(), 1u);
  EXPECT_EQ(result->remarks[0].text,
            "gate 'sound': 'except' leaves out no layer by 'head', 'second'; there are "
            "'/first/Conv', '/second/Gemm', 'x'");
  EXPECT_EQ(result->remarks[0].line, contract->gates[0].line);
}

TEST(CheckContract, ExitsWithZeroOnlyWhenAllPass) {
  const auto contract = ParseContract(
      R"({"gates":[{"id":"a","metric":{"name":"accuracy"},"absolute":{"min":0.5}},
                   {"id":"b","metric":{"name":"accuracy"},"absolute":{"min":0.9}}]})");
  EXPECT_EQ(CheckContract(*contract, Pair(0.95, 0.94))->exit_code(), 0);
  EXPECT_EQ(CheckContract(*contract, Pair(0.95, 0.8))->exit_code(), 1);
}

TEST(CheckContract, NeverPassesForWantOfData) {
  const auto contract = ParseContract("gates: [{metric: accuracy}]");
  EXPECT_THAT(CheckContract(*contract, {}),
              FailsSaying(ErrorCode::kNotFound, "contain only baselines"));
  const auto baseline = ParseContract("{baseline: fp64, gates: [{metric: accuracy}]}");
  EXPECT_THAT(CheckContract(*baseline, Pair(1, 1)), FailsSaying(ErrorCode::kNotFound, "'fp64'"));
}

TEST(CheckContract, MissesWhatNoVariantIs) {
  const auto contract = ParseContract(R"(
gates:
  - {id: ours, metric: accuracy, min: 0.5}
  - {id: other, metric: accuracy, min: 0.5, tags: {model: other, variant: int4}})");
  const auto result = CheckContract(*contract, Pair(1, 1));
  ASSERT_THAT(result, Succeeds());
  ASSERT_EQ(result->results.size(), 2u);
  EXPECT_EQ(result->results[0].outcome, GateOutcome::kPass);
  EXPECT_EQ(result->results[1].gate, 1u);
  EXPECT_EQ(result->results[1].outcome, GateOutcome::kMissing);
  EXPECT_EQ(result->results[1].explanation, "nothing in the log has model 'other', variant 'int4'");
  EXPECT_EQ(result->exit_code(), 1);
}

TEST(CheckContract, MissesLayersThatWereNotLogged) {
  const GateResult result = CheckOne(Pair(1, 1), "{layers: '*', metric: level, max: amber}");
  EXPECT_EQ(result.outcome, GateOutcome::kMissing);
  EXPECT_EQ(result.model, "net");
  EXPECT_THAT(result.explanation, HasSubstr("no layers of 'int8' were logged"));
}

// 0.9 is logged as 0.89999998, and 0.9 - 0.89 is slightly more than 0.01.
TEST(CheckContract, KeepsALimitThatIsMetExactlyInFloats) {
  const ComparisonTable table = Pair(0.90F, 0.89F);
  const auto outcome = [&](const char* gate) { return CheckOne(table, gate).outcome; };
  EXPECT_EQ(outcome("{metric: accuracy, min: 0.89, max: 0.89}"), GateOutcome::kPass);
  EXPECT_EQ(outcome("{metric: accuracy, relative_degradation: {max_abs: 0.01}}"),
            GateOutcome::kPass);
  EXPECT_EQ(outcome("{metric: accuracy, min: 0.890001}"), GateOutcome::kFail);
  EXPECT_EQ(outcome("{metric: accuracy, max: 0.889999}"), GateOutcome::kFail);
  EXPECT_EQ(outcome("{metric: accuracy, relative_degradation: {max_abs: 0.009999}}"),
            GateOutcome::kFail);
}

// The logarithm of a likelihood: -6 is 20 % worse than -5.
TEST(CheckContract, KnowsWorseFromBetterBelowZero) {
  const GateResult result =
      CheckOne(Pair(-5, -6), "{metric: accuracy, relative_degradation: {max_pct: 10}}");
  EXPECT_EQ(result.outcome, GateOutcome::kFail);
  EXPECT_THAT(result.explanation, HasSubstr("worse by 20 %, at most 10 %"));
  EXPECT_DOUBLE_EQ(result.beyond, 1);
}

TEST(CheckContract, FailsByADegradationFromInfinity) {
  const ComparisonTable table = Pair(HUGE_VAL, 0.5);
  EXPECT_EQ(CheckOne(table, "{metric: accuracy, relative_degradation: {max_abs: 1}}").outcome,
            GateOutcome::kFail);
}

TEST(CheckContract, AggregatesAllStepsWhenAsked) {
  const auto contract = ParseContract(
      R"({"gates":[{"metric":{"name":"latency","source":"metrics","aggregation":"p90"},
                    "absolute":{"max":90}}]})");
  const auto series = [](const Source& source) {
    EXPECT_THAT(source.tag, HasSubstr("latency_ms"));
    return std::vector<double>{100, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  };
  const auto result = CheckContract(*contract, Pair(1, 1), series);
  ASSERT_THAT(result, Succeeds());
  EXPECT_THAT(result->results[0].value, Optional(10.0));
}

// Results of numpy.quantile([3, 1, 2, 10], q).
TEST(Aggregate, InterpolatesQuantilesAsNumpyDoes) {
  const std::vector<double> values = {3, 1, 2, 10};
  EXPECT_THAT(Aggregate(values, Aggregation::kP50), Optional(2.5));
  EXPECT_NEAR(*Aggregate(values, Aggregation::kP90), 7.9, 1e-12);
  EXPECT_NEAR(*Aggregate(values, Aggregation::kP95), 8.95, 1e-12);
  EXPECT_NEAR(*Aggregate(values, Aggregation::kP99), 9.79, 1e-12);
  EXPECT_THAT(Aggregate(values, Aggregation::kMean), Optional(4.0));
  EXPECT_THAT(Aggregate(values, Aggregation::kLast), Optional(10.0));
  EXPECT_EQ(Aggregate({}, Aggregation::kMin), std::nullopt);
  EXPECT_TRUE(std::isnan(*Aggregate(std::vector<double>{1, std::nan("")}, Aggregation::kMax)));
}

}  // namespace
}  // namespace cboard::analysis
