// Contracts: the accepted content, and the errors for everything else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/analysis/gates.h"
#include "testing/matchers.h"

namespace cboard::analysis {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FailsSaying;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using testing::Succeeds;

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
  EXPECT_EQ(gate.direction, compression::Better::kLower);
  EXPECT_THAT(gate.min, Optional(1.0));
  EXPECT_THAT(gate.max, Optional(120.0));
  EXPECT_THAT(gate.max_degradation, Optional(2.0));
  EXPECT_THAT(gate.max_degradation_pct, Optional(5.0));
}

TEST(ParseContract, ReadsYamlWithGatesOnLayers) {
  const auto contract = ParseContract(R"(# Of the board.
baseline: fp32
gates:
  - id: quality
    metric: accuracy
    min: 0.7
    tags: {model: net}
  - id: convolutions
    layers: [conv*, "*.head"]
    except: conv1
    metric: {name: local_sqnr_db, tags: {variant: int8}}
    absolute: {min: 20}
  - id: no-red
    layers: "*"
    metric: level
    max: amber
)");
  ASSERT_THAT(contract, Succeeds());
  EXPECT_THAT(contract->remarks, IsEmpty());
  EXPECT_EQ(contract->baseline, "fp32");
  ASSERT_EQ(contract->gates.size(), 3u);
  EXPECT_EQ(contract->gates[0].line, 4);
  EXPECT_EQ(contract->gates[1].line, 8);
  EXPECT_FALSE(contract->gates[0].is_about_layers());
  EXPECT_THAT(contract->gates[0].min, Optional(0.7));
  EXPECT_EQ(contract->gates[0].tags.at("model"), "net");
  EXPECT_THAT(contract->gates[1].layers, ElementsAre("conv*", "*.head"));
  EXPECT_THAT(contract->gates[1].except, ElementsAre("conv1"));
  EXPECT_EQ(contract->gates[1].metric, "local_sqnr_db");
  EXPECT_EQ(contract->gates[1].tags.at("variant"), "int8");
  EXPECT_THAT(contract->gates[1].min, Optional(20.0));
  EXPECT_THAT(contract->gates[2].worst_level, Optional(Level::kAmber));
}

TEST(ParseContract, SaysWhatIsWrongAndWhere) {
  const auto fails = [](const char* text, const char* saying) {
    EXPECT_THAT(ParseContract(text), FailsSaying(ErrorCode::kInvalidArgument, saying)) << text;
  };
  fails("", "a contract must be a mapping with a list 'gates', not nothing");
  fails("[]", "not a list; docs/check.md shows one");
  fails("{}", "line 1, column 1: the contract has no 'gates'");
  fails("gates: 7", "line 1, column 8: 'gates' must be a list, not '7'");
  fails("gates: []", "'gates' is empty");
  fails("{baseline: [a], gates: [{metric: a}]}", "'baseline' is a list but must name a variant");
  fails("gates:\n  - 7", "line 2, column 5: gate 1: the gate must be a mapping");
  fails(R"({"gates":[{"id":"q"}]})", "gate 1 ('q'): the gate needs a 'metric'");
  fails("gates: [{metric: []}]", "'metric' is a list but must be a name or a mapping");
  fails("gates: [{metric: {}}]", "'metric' needs a 'name'");
  fails("gates: [{metric: {name: a, aggregation: p42}}]", "'p42'");
  fails("gates: [{metric: {name: a, source: disk}}]", "'disk'");
  fails("gates: [{metric: {name: a, tags: 3}}]", "'tags' is '3' but must be a mapping");
  fails("gates: [{metric: a, direction: up}]", "'direction' is 'up'");
  fails("gates:\n- metric: a\n  absolute: {max: x}",
        "line 3, column 19: gate 1 ('gate'): the key 'max' is 'x' but must be a number");
  fails("gates: [{metric: a, min: '0.9'}]", "'min' is '0.9' in quotes but must be a number");
  fails("gates: [{metric: a, min: .nan}]", "must be a number");
  fails("gates: [{metric: a, min: inf}]", "must be a number");
  fails("gates: [{metric: a, max: 1%}]", "'1%' but must be a number");
  fails("gates: [{metric: a, absolute: {}}]", "must contain 'min' or 'max'");
  fails("gates: [{metric: a, min: 1, absolute: {min: 1}}]", "inside and outside of 'absolute'");
  fails("gates: [{metric: a, min: 2, max: 1}]", "no value can pass");
  fails("gates: [{metric: a, relative_degradation: {}}]", "must contain 'max_abs' or 'max_pct'");
  fails("gates: [{metric: a, min: 1, min: 2}]", "'min' appears twice");
}

TEST(ParseContract, SaysWhatIsWrongWithGatesOnLayers) {
  const auto fails = [](const char* gate, const char* saying) {
    EXPECT_THAT(ParseContract("gates: [" + std::string(gate) + "]"),
                FailsSaying(ErrorCode::kInvalidArgument, saying))
        << gate;
  };
  fails("{layers: conv1, metric: cosine}", "needs 'min' or 'max'");
  fails("{layers: [], metric: cosine, min: 1}", "'layers' is empty");
  fails("{layers: [[a]], metric: cosine, min: 1}", "must be a pattern");
  fails("{layers: '', metric: cosine, min: 1}", "must be a pattern");
  fails("{layers: *conv, metric: cosine, min: 1}", "needs quotes");
  fails("{except: conv1, metric: cosine, min: 1}", "'except' also needs 'layers'");
  fails("{layers: a, metric: cosine, min: 1, relative_degradation: {max_pct: 1}}",
        "a gate on layers cannot have 'relative_degradation'");
  fails("{layers: a, metric: {name: b, source: metrics, aggregation: p99}, min: 1}",
        "cannot have 'aggregation'");
  fails("{layers: a, metric: level, min: green}", "'max: amber' forbids red layers");
  fails("{layers: a, metric: level, max: red}", "'max' is 'red' but must be amber");
  fails("{layers: a, metric: level, max: 2}", "'max' is '2' but must be amber");
}

TEST(ParseContract, RemarksOnWhatItIgnores) {
  const auto contract = ParseContract(R"({"gates": [
    {"metric": "accuracy",
     "absolut": {"min": 0.7}, "description": "for us"}], "owner": "us"})");
  ASSERT_THAT(contract, Succeeds());
  const auto remark = [](int line, const char* text) {
    return AllOf(Field(&ContractWarning::line, line),
                 Field(&ContractWarning::text, HasSubstr(text)));
  };
  EXPECT_THAT(contract->remarks,
              ElementsAre(remark(2, "gate 1 ('gate') has no limit: it passes wherever 'accuracy'"),
                          remark(3, "'absolut' is not known and ignored")));
}

}  // namespace
}  // namespace cboard::analysis
