#include "compare/diagnosis/pruned_weights.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "compare/diagnosis/diagnosis.h"
#include "compare/measure/weight_comparison.h"
#include "compare/testing/test_models.h"

namespace cboard::compare {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::Succeeds;

constexpr std::int64_t kPrunedInputs = 100, kPrunedOutputs = 20;

std::vector<float> DenseWeights() { return Gaussian(kPrunedInputs * kPrunedOutputs, 11); }

// The magnitude below which this share of the weights is.
float LimitOfShare(std::vector<float> values, double share) {
  for (float& value : values) value = std::abs(value);
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}

std::vector<float> WithoutSmallest(std::vector<float> values, double share) {
  const float limit = LimitOfShare(values, share);
  for (float& value : values) value = std::abs(value) < limit ? 0 : value;
  return values;
}

double SqnrBetween(const std::vector<float>& x, const std::vector<float>& y) {
  double signal = 0, error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    signal += double{x[i]} * double{x[i]};
    error += (double{x[i]} - double{y[i]}) * (double{x[i]} - double{y[i]});
  }
  return 10 * std::log10(signal / error);
}

MatMulLayer LayerOfWeights(const std::vector<float>& values) {
  return {"fc", "w", kPrunedInputs, kPrunedOutputs, values};
}

WeightFindings ComparedChains(const model::ModelGraph& before, const model::ModelGraph& after) {
  auto findings = CompareWeights(before, FindWeightLayers(before)[0], after,
                                 FindWeightLayers(after)[0], {}, {});
  EXPECT_THAT(findings, Succeeds());
  return *std::move(findings);
}

TEST(PrunedWeights, TheSmallestAreGoneAndTheOthersStayed) {
  const std::vector<float> x = DenseWeights(), y = WithoutSmallest(x, 0.6);
  const WeightFindings findings =
      ComparedChains(FloatChain({LayerOfWeights(x)}), FloatChain({LayerOfWeights(y)}));
  EXPECT_EQ(findings.pruned.count, 1200u);
  EXPECT_LT(findings.pruned.largest, LimitOfShare(x, 0.6));
  const Diagnosis diagnosis = Diagnose(findings.ToEvidence(), {});
  EXPECT_EQ(diagnosis.cause, Cause::kPruned);
  EXPECT_EQ(diagnosis.level, Level::kAmber);
  EXPECT_THAT(diagnosis.severity_db, DoubleNear(SqnrBetween(x, y), 1e-6));
  EXPECT_THAT(diagnosis.explanation,
              StartsWith("60 % of the weights were pruned: they are 0 now and were up to "));
  EXPECT_THAT(diagnosis.explanation, HasSubstr("the others are as they were"));
}

TEST(PrunedWeights, FixesKeepWhatTheySay) {
  const std::vector<float> x = DenseWeights();
  std::vector<float> y = x;
  // Whatever they were, but some of every channel.
  for (std::size_t i = 0; i < y.size(); ++i) {
    if ((i + i / kPrunedOutputs) % 2 == 0) y[i] = 0;
  }
  const WeightFindings findings =
      ComparedChains(FloatChain({LayerOfWeights(x)}), FloatChain({LayerOfWeights(y)}));
  ASSERT_EQ(findings.fixes.size(), 2u);
  EXPECT_EQ(findings.fixes[0].action, "prune as many, but the smallest ones");
  EXPECT_THAT(findings.fixes[0].sqnr_db, DoubleNear(SqnrBetween(x, WithoutSmallest(x, 0.5)), 0.05));
  EXPECT_THAT(findings.fixes[1].sqnr_db, DoubleNear(Thresholds().sqnr_red_db, 0.05));
  const std::string& action = findings.fixes[1].action;
  ASSERT_THAT(action, StartsWith("prune "));
  const double share = std::stod(action.substr(6)) / 100;
  EXPECT_THAT(action, HasSubstr(" % instead of 50 %, the smallest ones"));
  EXPECT_THAT(SqnrBetween(x, WithoutSmallest(x, share)), DoubleNear(20, 0.1));
}

TEST(PrunedWeights, CodesOfWhatIsLeftAreNoOtherFault) {
  const std::vector<float> x = DenseWeights(), y = WithoutSmallest(x, 0.5);
  const WeightFindings findings = ComparedChains(
      FloatChain({LayerOfWeights(x)}), QuantizedChain({LayerOfWeights(x)}, {Quantized(y)}));
  const Diagnosis diagnosis = Diagnose(findings.ToEvidence(), {});
  EXPECT_EQ(diagnosis.cause, Cause::kPruned);
  EXPECT_THAT(diagnosis.explanation, HasSubstr("the others have an SQNR of 4"));
  EXPECT_THAT(findings.fixes[0].action, StartsWith("prune "));  // No scale would bring them back.
}

TEST(PrunedWeights, WhatRoundsToZeroIsNotPruned) {
  std::vector<float> x = DenseWeights();
  x[7] = 40 * *std::ranges::max_element(x);  // Nearly all others are less than half a step.
  const WeightFindings findings = ComparedChains(
      FloatChain({LayerOfWeights(x)}), QuantizedChain({LayerOfWeights(x)}, {Quantized(x)}));
  EXPECT_EQ(findings.pruned.count, 0u);
  EXPECT_EQ(Diagnose(findings.ToEvidence(), {}).cause, Cause::kOutliers);
}

TEST(PrunedWeights, AChannelOfZerosIsDead) {
  const std::vector<float> x = DenseWeights();
  std::vector<float> y = x;
  for (std::size_t i = 3; i < y.size(); i += kPrunedOutputs) y[i] = 0;
  const WeightFindings findings =
      ComparedChains(FloatChain({LayerOfWeights(x)}), FloatChain({LayerOfWeights(y)}));
  EXPECT_EQ(findings.pruned.count, 0u);
  EXPECT_EQ(Diagnose(findings.ToEvidence(), {}).cause, Cause::kDeadChannel);
}

TEST(PrunedWeights, ASmallChannelMayBePrunedAltogether) {
  std::vector<float> x = DenseWeights();
  for (std::size_t i = 5; i < x.size(); i += kPrunedOutputs) x[i] *= 0.01f;
  const std::vector<float> y = WithoutSmallest(x, 0.5);
  const WeightFindings findings =
      ComparedChains(FloatChain({LayerOfWeights(x)}), FloatChain({LayerOfWeights(y)}));
  EXPECT_EQ(findings.pruned.count, 1000u);
  EXPECT_EQ(findings.pruned.channels, 1u);
  EXPECT_THAT(Diagnose(findings.ToEvidence(), {}).explanation,
              HasSubstr("and all weights of 1 channel are zero; the others are as they were"));
}

TEST(PrunedWeights, TrainingAfterwardsIsSaidToo) {
  const std::vector<float> x = DenseWeights(), other = Gaussian(kPrunedInputs * kPrunedOutputs, 12);
  std::vector<float> y = WithoutSmallest(x, 0.3);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += y[i] == 0 ? 0 : 0.8f * other[i];
  const WeightFindings findings =
      ComparedChains(FloatChain({LayerOfWeights(x)}), FloatChain({LayerOfWeights(y)}));
  const Diagnosis diagnosis = Diagnose(findings.ToEvidence(), {});
  EXPECT_EQ(diagnosis.cause, Cause::kChanged);
  EXPECT_EQ(diagnosis.level, Level::kRed);
  EXPECT_THAT(diagnosis.explanation, HasSubstr("neither do the 30 % that are 0 and were not"));
}

TEST(PrunedWeights, NothingOfNothing) {
  PruningSearch search;
  search.AddRow({}, {}, 0);
  const std::vector<float> zeros(8, 0.0f), not_finite(8, NAN);
  search.AddRow(zeros, zeros, 0);
  search.AddRow(not_finite, zeros, 0);
  EXPECT_EQ(search.Found().count, 0u);
}

}  // namespace
}  // namespace cboard::compare
