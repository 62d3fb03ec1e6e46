#include "cboard/analysis/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cboard::analysis {
namespace {

std::vector<PolicyCheck> Balanced(const Metrics& a, const Metrics& b) {
  return CheckPolicy(*FindPolicy("balanced"), a, b);
}

TEST(Policy, ChecksOnlyMeasuredMetrics) {
  const auto checks = Balanced({{"accuracy", 0.6976}, {"model_size_mb", 44.7}},
                               {{"accuracy", 0.6949}, {"model_size_mb", 11.3}});
  ASSERT_EQ(checks.size(), 4u);
  EXPECT_EQ(checks[0].rule, "drop ≤ 1 pp");
  EXPECT_EQ(checks[0].text, "0.27 pp");
  EXPECT_EQ(checks[0].outcome, GateOutcome::kPass);
  EXPECT_EQ(checks[1].rule, "ratio ≥ 3×");
  EXPECT_EQ(checks[1].text, "3.96×");
  EXPECT_EQ(checks[2].outcome, GateOutcome::kMissing);
  EXPECT_EQ(checks[3].outcome, GateOutcome::kMissing);
}

TEST(Policy, ReadsPerCentAndFractionsAlike) {
  EXPECT_EQ(Balanced({{"accuracy", 74.04}}, {{"accuracy", 73.00}})[0].outcome, GateOutcome::kFail);
  EXPECT_EQ(Balanced({{"accuracy", 0.7404}}, {{"accuracy", 0.73}})[0].text, "1.04 pp");
}

TEST(Policy, ShowsEnoughDigitsNotToReadAsTheLimit) {
  EXPECT_EQ(Balanced({{"accuracy", 0.69360}}, {{"accuracy", 0.68358}})[0].text, "1.002 pp");
  const auto at_limit = Balanced({{"accuracy", 0.90F}}, {{"accuracy", 0.89F}})[0];  // As logged.
  EXPECT_EQ(at_limit.outcome, GateOutcome::kPass);
  EXPECT_EQ(at_limit.text, "1.00 pp");
}

TEST(Policy, KnowsWhichWayIsBetter) {
  const auto checks = Balanced({{"latency_mean_ms", 20}, {"throughput", 100}},
                               {{"latency_mean_ms", 10}, {"throughput", 110}});
  EXPECT_EQ(checks[2].text, "2.00×");
  EXPECT_EQ(checks[2].outcome, GateOutcome::kPass);
  EXPECT_EQ(checks[3].text, "1.10×");
  EXPECT_EQ(checks[3].outcome, GateOutcome::kFail);
  EXPECT_EQ(Balanced({{"throughput", 0}}, {{"throughput", 5}})[3].outcome, GateOutcome::kMissing);
}

TEST(Policy, IsFoundByName) {
  EXPECT_EQ(Policies().size(), 3u);
  EXPECT_EQ(FindPolicy("smallest")->gates.size(), 2u);
  EXPECT_EQ(FindPolicy("none"), nullptr);
}

TEST(Policy, IsReadFromRules) {
  const auto policy = ReadPolicy("drop<=0.5 ratio>=3.5  speedup>=2");
  ASSERT_TRUE(policy) << policy.error().message;
  const auto checks =
      CheckPolicy(**policy, {{"accuracy", 0.70}, {"model_size_mb", 40}, {"latency_mean_ms", 10}},
                  {{"accuracy", 0.692}, {"model_size_mb", 10}, {"latency_mean_ms", 4}});
  ASSERT_EQ(checks.size(), 4u);  // A speedup may be one of latency or of throughput.
  EXPECT_EQ(checks[0].rule, "drop ≤ 0.5 pp");
  EXPECT_EQ(checks[0].outcome, GateOutcome::kFail);
  EXPECT_EQ(checks[1].rule, "ratio ≥ 3.5×");
  EXPECT_EQ(checks[1].outcome, GateOutcome::kPass);
  EXPECT_EQ(checks[2].text, "2.50×");
  EXPECT_EQ(checks[3].outcome, GateOutcome::kMissing);
  EXPECT_EQ((*policy)->name, "drop<=0.5 ratio>=3.5  speedup>=2");
}

TEST(Policy, IsReadByName) {
  const auto policy = ReadPolicy("smallest");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->get(), FindPolicy("smallest"));
}

TEST(Policy, RefusesRulesThatItDoesNotKnow) {
  for (const std::string_view text : {"drop>=1", "ratio<=3", "drop<=", "drop<=nan", "drop<=-1",
                                      "drop<1", "drop<=1x", "size>=2", "ratio>=1e9", "<="}) {
    const auto policy = ReadPolicy(text);
    ASSERT_FALSE(policy) << text;
    EXPECT_EQ(policy.error().code, ErrorCode::kInvalidArgument) << text;
  }
  for (const std::string_view name : {"", "nonsense"}) {
    const auto policy = ReadPolicy(name);
    ASSERT_FALSE(policy) << name;
    EXPECT_EQ(policy.error().code, ErrorCode::kInvalidArgument) << name;
  }
  std::string many;
  for (int i = 0; i < 17; ++i) many += "ratio>=1 ";
  EXPECT_FALSE(ReadPolicy(many));
}

}  // namespace
}  // namespace cboard::analysis
