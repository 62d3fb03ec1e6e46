// Tests quantization errors of 32 channels of 3,000 Gaussian values, diagnosed from histograms
// alone. The expected distances are those of the sorted values themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/testing/sample_histogram.h"
#include "cboard/analysis/histogram_comparison.h"

namespace cboard::analysis {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kValues = 32 * 3000;

struct Finding {
  HistogramComparison comparison;
  Diagnosis diagnosis;
};

Finding Find(const std::vector<double>& baseline, const std::vector<double>& variant,
             std::size_t bins = 1000) {
  const ValueDistribution before = Binned(baseline, bins), after = Binned(variant, bins);
  const HistogramComparison comparison = CompareDistributions(before, after);
  return {comparison, DiagnoseHistograms(before, after, comparison)};
}

std::vector<double> Map(std::vector<double> values, auto&& change) {
  for (double& value : values) value = change(value);
  return values;
}

double SqnrOf(const std::vector<double>& baseline, const std::vector<double>& variant) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    signal += baseline[i] * baseline[i];
    noise += (baseline[i] - variant[i]) * (baseline[i] - variant[i]);
  }
  return 10 * std::log10(signal / noise);
}

TEST(Diagnose, FindsNothingWrongWithHealthyQuantization) {
  const std::vector<double> values = Gaussian(kValues);
  const Finding finding = Find(values, Quantized(values));
  EXPECT_EQ(finding.diagnosis.level, Level::kGreen);
  EXPECT_EQ(finding.diagnosis.cause, Cause::kNone);
  EXPECT_EQ(finding.diagnosis.explanation, "");
  EXPECT_LT(finding.comparison.w1_by_sigma, 0.02);
  // Lower than with the histogram's own bins, where the separate codes alone give 0.573.
  EXPECT_LT(finding.comparison.kl, 0.01);
  EXPECT_NEAR(finding.comparison.range_ratio, 1, 1e-9);
  EXPECT_LT(finding.comparison.clipped_share, 1e-9);
}

TEST(Diagnose, RecognizesAWrongScale) {
  const std::vector<double> values = Gaussian(kValues);
  const Finding finding =
      Find(values, Map(Quantized(values), [](double value) { return 0.8 * value; }));
  EXPECT_EQ(finding.diagnosis.cause, Cause::kWrongScale);
  EXPECT_EQ(finding.diagnosis.level, Level::kRed);
  EXPECT_THAT(finding.diagnosis.explanation, HasSubstr("scale is wrong: values are 0.8"));
  EXPECT_NEAR(finding.comparison.w1_by_sigma, 0.160, 0.003);
  EXPECT_NEAR(finding.comparison.deviation_ratio, 0.8, 0.001);
}

TEST(Diagnose, RecognizesAnOffset) {
  const std::vector<double> values = Gaussian(kValues);
  const Finding finding =
      Find(values, Map(Quantized(values), [](double value) { return value + 0.5; }));
  EXPECT_EQ(finding.diagnosis.cause, Cause::kBiasShift);
  EXPECT_EQ(finding.diagnosis.level, Level::kRed);
  EXPECT_NEAR(finding.comparison.w1_by_sigma, 0.501, 0.003);
  EXPECT_NEAR(finding.comparison.mean_shift_by_sigma, 0.5, 0.003);
}

TEST(Diagnose, RecognizesARangeStretchedByOutliers) {
  std::vector<double> values = Gaussian(kValues);
  for (std::size_t i = 0; i < 4; ++i) values[i * 100] = i % 2 == 0 ? 130 : -130;
  // Enough bins to distinguish all codes.
  const Finding finding = Find(values, Quantized(values), 4000);
  EXPECT_EQ(finding.diagnosis.cause, Cause::kOutliers);
  EXPECT_EQ(finding.diagnosis.level, Level::kRed);
  EXPECT_THAT(finding.diagnosis.explanation, HasSubstr("of 256 codes"));
  EXPECT_LT(finding.comparison.central_codes, 10);
  EXPECT_LT(finding.comparison.codes_used, 14);
  EXPECT_NEAR(finding.comparison.range_ratio, 1, 1e-9);
}

TEST(Diagnose, RecognizesClipping) {
  const std::vector<double> values = Gaussian(kValues);
  const Finding finding = Find(values, Quantized(values, -1, 1));
  EXPECT_EQ(finding.diagnosis.cause, Cause::kOverClipped);
  EXPECT_EQ(finding.diagnosis.level, Level::kRed);
  EXPECT_THAT(finding.diagnosis.explanation, HasSubstr("outside [-1, 1]"));
  EXPECT_NEAR(finding.comparison.w1_by_sigma, 0.166, 0.003);
  EXPECT_NEAR(finding.comparison.clipped_share, 0.317, 0.005);
  EXPECT_GT(finding.comparison.kl, 1);
}

TEST(Diagnose, RecognizesADeadTensor) {
  const std::vector<double> values = Gaussian(kValues);
  const Finding finding = Find(values, std::vector<double>(kValues, 0));
  EXPECT_EQ(finding.diagnosis.cause, Cause::kDead);
  EXPECT_EQ(finding.diagnosis.level, Level::kRed);
  EXPECT_THAT(finding.diagnosis.explanation, HasSubstr("all values are 0"));
}

// Bins as in TensorBoard: zeros have a separate bin.
ValueDistribution BinnedAroundZero(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  constexpr int kBins = 500;
  std::vector<ValueBin> negative, positive;
  for (int i = 0; i < kBins; ++i) {
    negative.push_back({low * (kBins - i) / kBins, low * (kBins - i - 1) / kBins, 0});
    positive.push_back({high * i / kBins, high * (i + 1) / kBins, 0});
  }
  ValueBin zero{0, 0, 0};
  for (const double value : values) {
    const auto place = [&](double end) {
      return static_cast<std::size_t>(std::min(value / end * kBins, kBins - 1.0));
    };
    ValueBin& bin = value == 0  ? zero
                    : value > 0 ? positive[place(high)]
                                : negative[kBins - 1 - place(low)];
    ++bin.count;
  }
  negative.push_back(zero);
  negative.insert(negative.end(), positive.begin(), positive.end());
  return *ValueDistribution::FromBins(negative);
}

Diagnosis DiagnoseAroundZero(const std::vector<double>& baseline,
                             const std::vector<double>& variant) {
  const ValueDistribution before = BinnedAroundZero(baseline), after = BinnedAroundZero(variant);
  return DiagnoseHistograms(before, after, CompareDistributions(before, after));
}

TEST(Diagnose, RecognizesPruningOfSmallValuesOfAnyAndWithTrainingAfterIt) {
  const std::vector<double> values = Gaussian(kValues);
  const auto without_small = Map(values, [](double v) { return std::abs(v) < 0.67 ? 0 : v; });
  std::size_t i = 0;
  const auto without_every_second = Map(values, [&](double v) { return i++ % 2 == 0 ? 0 : v; });
  const auto trained = Map(without_small, [](double v) { return 1.05 * v; });
  for (const auto& variant : {without_small, without_every_second, trained}) {
    const Diagnosis diagnosis = DiagnoseAroundZero(values, variant);
    EXPECT_EQ(diagnosis.cause, Cause::kPruned);
    EXPECT_EQ(diagnosis.level, Level::kAmber);  // The channel was pruned on purpose.
    EXPECT_THAT(diagnosis.explanation, HasSubstr(" % of the values were pruned"));
  }
}

// Codes also round small values to 0: with four bits, every sixth value.
TEST(Diagnose, DoesNotTakeRoundingForPruning) {
  const std::vector<double> values = Gaussian(kValues);
  const double high = std::ranges::max(values);
  for (const int codes : {15, 255}) {
    const std::vector<double> rounded = Quantized(values, -high, high, codes);
    EXPECT_NE(DiagnoseAroundZero(values, rounded).cause, Cause::kPruned) << codes;
  }
}

TEST(Diagnose, AdmitsWhatItCannotExplain) {
  const std::vector<double> values = Gaussian(kValues);
  const Finding finding =
      Find(values, Map(values, [](double value) { return value > 0 ? 4 : -4; }));
  EXPECT_EQ(finding.diagnosis.cause, Cause::kChanged);
  EXPECT_EQ(finding.diagnosis.level, Level::kRed);
}

// Tests that the bound holds, which ranking by histograms needs: no layer is better than reported.
TEST(CompareDistributions, NeverUnderstatesTheBestPossibleSqnr) {
  const std::vector<double> values = Gaussian(kValues);
  std::vector<std::vector<double>> variants = {
      Quantized(values), Quantized(values, -1, 1), Quantized(values, -30, 30, 64),
      Map(values, [](double value) { return 0.8 * value; }),
      Map(values, [](double value) { return value + 0.5; })};
  std::vector<double> permuted = values;
  std::ranges::rotate(permuted, permuted.begin() + 3000);
  variants.push_back(permuted);
  for (const auto& variant : variants) {
    EXPECT_GE(Find(values, variant).comparison.sqnr_at_most_db, SqnrOf(values, variant) - 0.05);
  }
}

TEST(CompareDistributions, GivesInfinityRatherThanNonsenseForAConstantBaseline) {
  const auto constant = *ValueDistribution::FromBins(std::vector<ValueBin>{{2, 2, 10}});
  const auto spread = *ValueDistribution::FromBins(std::vector<ValueBin>{{0, 1, 10}});
  const HistogramComparison same = CompareDistributions(constant, constant);
  EXPECT_EQ(same.w1_by_sigma, 0);
  EXPECT_EQ(same.kl, 0);
  EXPECT_TRUE(std::isinf(same.sqnr_at_most_db));
  EXPECT_EQ(DiagnoseHistograms(constant, constant, same).level, Level::kUnmeasured);
  const HistogramComparison other = CompareDistributions(constant, spread);
  EXPECT_TRUE(std::isinf(other.w1_by_sigma));
  EXPECT_EQ(DiagnoseHistograms(constant, spread, other).level, Level::kRed);
}

}  // namespace
}  // namespace cboard::analysis
