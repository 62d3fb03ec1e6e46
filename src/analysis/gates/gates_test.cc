#include "cboard/analysis/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/table/fact_builder.h"
#include "testing/matchers.h"

namespace cboard::analysis {
namespace {

using testing::FailsSaying;
using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::Optional;
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

TEST(ParseContract, ReadsTheWholeSchema) {
  const auto contract = ParseContract(R"({
    "baseline": {"run_id": "fp32"},
    "gates": [{"id": "p99", "role": "performance",
               "metric": {"name": "latency_ms", "source": "metrics", "aggregation": "p99",
                          "tags": {"model": "net"}},
               "direction": "lower_is_better",
               "absolute": {"max": 120.0, "min": 1},
               "relative_degradation": {"max_abs": 2, "max_pct": 5}}],
    "cost": {"currency": "EUR"}})");
  ASSERT_THAT(contract, Succeeds());
  EXPECT_EQ(contract->baseline, "fp32");
  const Gate& gate = contract->gates.at(0);
  EXPECT_EQ(gate.id, "p99");
  EXPECT_EQ(gate.role, "performance");
  EXPECT_EQ(gate.metric, "latency_ms");
  EXPECT_EQ(gate.aggregation, Aggregation::kP99);
  EXPECT_EQ(gate.tags.at("model"), "net");
  EXPECT_EQ(gate.direction, Better::kLower);
  EXPECT_THAT(gate.min, Optional(1.0));
  EXPECT_THAT(gate.max, Optional(120.0));
  EXPECT_THAT(gate.max_degradation, Optional(2.0));
  EXPECT_THAT(gate.max_degradation_pct, Optional(5.0));
}

TEST(ParseContract, SaysWhatIsWrongAndWhere) {
  const auto fails = [](const char* json, const char* saying) {
    EXPECT_THAT(ParseContract(json), FailsSaying(ErrorCode::kInvalidArgument, saying)) << json;
  };
  fails("", "not JSON");
  fails("[]", "must be an object");
  fails("{}", "'gates' must be a list");
  fails(R"({"gates":[7]})", "gate 1: must be an object");
  fails(R"({"gates":[{"id":"q"}]})", "gate 1 ('q'): 'metric' must be an object");
  fails(R"({"gates":[{"metric":{}}]})", "needs a 'name'");
  fails(R"({"gates":[{"metric":{"name":"a","aggregation":"p42"}}]})", "'p42'");
  fails(R"({"gates":[{"metric":{"name":"a","source":"disk"}}]})", "'disk'");
  fails(R"({"gates":[{"metric":{"name":"a"},"direction":"up"}]})", "'up'");
  fails(R"({"gates":[{"metric":{"name":"a"},"absolute":{"max":"x"}}]})", "'max' must be a number");
  fails(R"({"gates":[{"metric":{"name":"a"},"absolute":{}}]})", "needs 'min' or 'max'");
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
  // Latency grew by 20 %; lower is better by the vocabulary, and by the contract.
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
  EXPECT_THAT(missing->results[0].explanation, HasSubstr("'int8' is not logged"));
  EXPECT_EQ(missing->exit_code(), 1);
  EXPECT_EQ(CheckOne(Pair(0.8, std::nan("")), R"({"metric":{"name":"accuracy"}})").outcome,
            GateOutcome::kFail);
  EXPECT_EQ(CheckOne(Pair(std::nan(""), 0.8), R"({"metric":{"name":"accuracy"},
                      "relative_degradation":{"max_pct":1}})")
                .outcome,
            GateOutcome::kFail);
}

TEST(CheckContract, ExitsWithZeroOnlyWhenAllPass) {
  const auto contract = ParseContract(
      R"({"gates":[{"id":"a","metric":{"name":"accuracy"},"absolute":{"min":0.5}},
                   {"id":"b","metric":{"name":"accuracy"},"absolute":{"min":0.9}}]})");
  EXPECT_EQ(CheckContract(*contract, Pair(0.95, 0.94))->exit_code(), 0);
  EXPECT_EQ(CheckContract(*contract, Pair(0.95, 0.8))->exit_code(), 1);
}

TEST(CheckContract, NeverPassesForWantOfData) {
  const auto contract = ParseContract(R"({"gates":[{"metric":{"name":"accuracy"}}]})");
  EXPECT_THAT(CheckContract(*contract, {}), FailsWith(ErrorCode::kNotFound));
  const auto other =
      ParseContract(R"({"gates":[{"metric":{"name":"accuracy","tags":{"model":"other"}}}]})");
  EXPECT_THAT(CheckContract(*other, Pair(1, 1)), FailsWith(ErrorCode::kNotFound));
  const auto baseline =
      ParseContract(R"({"baseline":{"run_id":"fp64"},"gates":[{"metric":{"name":"accuracy"}}]})");
  EXPECT_THAT(CheckContract(*baseline, Pair(1, 1)), FailsSaying(ErrorCode::kNotFound, "'fp64'"));
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

// numpy.quantile([3, 1, 2, 10], q)
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
