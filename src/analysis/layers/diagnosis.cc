#include <algorithm>
#include <cmath>
#include <vector>

#include "cboard/analysis/histogram_comparison.h"
#include "cboard/verdict/damage_text.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

// A possible cause, and the distance that remains when its effect is applied to the baseline.
struct Hypothesis {
  Cause cause;
  double left;
};

// Minimum advantage of a complex cause over a simpler one: the additional share of the distance
// that the complex cause must explain.
constexpr double kTie = 0.05;

// Minimum share of the distance that a cause must explain.
constexpr double kMaxResidualShare = 0.5;

// Minimum number of additional zeros for the cause "pruned".
constexpr double kMinPrunedShare = 0.1;

std::vector<Hypothesis> Hypotheses(const ValueDistribution& baseline,
                                   const ValueDistribution& variant,
                                   const HistogramComparison& comparison,
                                   const Thresholds& thresholds, int codes) {
  const double distance = Wasserstein1(baseline, variant);
  const auto left = [&](const ValueDistribution& explained) {
    return Wasserstein1(explained, variant) / distance;
  };
  std::vector<Hypothesis> hypotheses;
  if (comparison.clipped_share > thresholds.clip_rate_amber) {
    hypotheses.push_back(
        {Cause::kOverClipped, left(baseline.Clamped(variant.min(), variant.max()))});
  }
  hypotheses.push_back(
      {Cause::kBiasShift, left(baseline.Scaled(1, variant.mean() - baseline.mean()))});
  if (baseline.root_mean_square() > 0 && variant.root_mean_square() > 0) {
    const double scale = variant.root_mean_square() / baseline.root_mean_square();
    hypotheses.push_back({Cause::kWrongScale, left(baseline.Scaled(scale, 0))});
  }
  const double zeros = variant.ShareOfZeros() - baseline.ShareOfZeros();
  if (zeros > kMinPrunedShare) {
    // Tests for pruning. Pruning removes the smallest values, or whole channels regardless of their
    // values.
    hypotheses.push_back({Cause::kPruned, std::min(left(baseline.WithSmallestZero(zeros)),
                                                   left(baseline.WithSomeZero(zeros)))});
  }
  if (comparison.central_codes < thresholds.min_central_codes) {
    hypotheses.push_back(
        {Cause::kOutliers, left(baseline.Rounded(variant.min(), variant.max(), codes))});
  }
  return hypotheses;
}

Cause BestOf(const std::vector<Hypothesis>& hypotheses) {
  Hypothesis best{Cause::kChanged, kMaxResidualShare + kTie};
  for (const Hypothesis& hypothesis : hypotheses) {
    if (hypothesis.left < best.left - kTie) best = hypothesis;
  }
  return best.cause;
}

std::string Sentence(Cause cause, const ValueDistribution& baseline,
                     const ValueDistribution& variant, const HistogramComparison& comparison,
                     int codes) {
  const verdict::ValueRange before{baseline.min(), baseline.max()};
  const verdict::ValueRange after{variant.min(), variant.max()};
  switch (cause) {
    case Cause::kNone:
      return {};
    case Cause::kDead:
      return "all values are " + verdict::ShortNumber(variant.min()) +
             "; the baseline's range is " + verdict::TextOf(before);
    case Cause::kOverClipped:
      return verdict::ClippedText("values", comparison.clipped_share, after, before);
    case Cause::kBiasShift:
      return verdict::ShiftedText("values", comparison.mean_shift_by_sigma, baseline.mean(),
                                  variant.mean());
    case Cause::kWrongScale:
      return verdict::WrongScaleText("values",
                                     variant.root_mean_square() / baseline.root_mean_square()) +
             "; the range went from " + verdict::TextOf(before) + " to " + verdict::TextOf(after);
    case Cause::kOutliers:
      return std::string(verdict::kOutliersText) + "it is " + verdict::TextOf(after) +
             ", and 99.9 % of the values share " +
             verdict::ShortNumber(std::ceil(comparison.central_codes)) + " of " +
             std::to_string(codes) + " codes";
    case Cause::kPruned:
      return verdict::PrunedText("values", variant.ShareOfZeros() - baseline.ShareOfZeros()) +
             ", and the others hardly changed; the model's accuracy shows the cost";
    default:
      break;
  }
  return "distribution changed by " + verdict::ShortNumber(comparison.w1_by_sigma) +
         " standard deviations; " + std::string(verdict::kUnexplainedText);
}

}  // namespace

Diagnosis DiagnoseHistograms(const ValueDistribution& baseline, const ValueDistribution& variant,
                             const HistogramComparison& comparison, const Thresholds& thresholds,
                             int codes) {
  if (comparison.is_identical()) {
    return {.explanation =
                "not measured: both histograms are the same, so either this tensor was not "
                "quantized or the same values were logged twice"};
  }
  Diagnosis diagnosis{.level = Level::kGreen};
  const bool noticeable = comparison.sqnr_at_most_db < thresholds.sqnr_amber_db ||
                          comparison.clipped_share > thresholds.clip_rate_amber ||
                          std::abs(comparison.mean_shift_by_sigma) > thresholds.mean_shift_amber;
  if (!noticeable) return diagnosis;
  diagnosis.level =
      comparison.sqnr_at_most_db < thresholds.sqnr_red_db ? Level::kRed : Level::kAmber;
  const bool dead = variant.max() == variant.min() && baseline.max() > baseline.min();
  diagnosis.cause =
      dead ? Cause::kDead : BestOf(Hypotheses(baseline, variant, comparison, thresholds, codes));
  if (diagnosis.cause == Cause::kPruned) diagnosis.level = Level::kAmber;
  diagnosis.explanation = Sentence(diagnosis.cause, baseline, variant, comparison, codes);
  return diagnosis;
}

}  // namespace cboard::analysis
