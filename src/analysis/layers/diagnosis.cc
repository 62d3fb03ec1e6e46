#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cboard/analysis/histogram_comparison.h"
#include "cboard/verdict/bit_limits.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

// A cause, and how much of the distance is left when its effect is applied to the baseline.
struct Hypothesis {
  Cause cause;
  double left;
};

// A simpler cause is believed over one that explains only this much more.
constexpr double kTie = 0.05;

// No cause explains less than this.
constexpr double kMaxResidualShare = 0.5;

// Fewer zeros more are no pruning that anybody would do.
constexpr double kMinPrunedShare = 0.1;

std::vector<Hypothesis> Hypotheses(const ValueDistribution& baseline,
                                   const ValueDistribution& variant,
                                   const HistogramComparison& comparison,
                                   const DamageThresholds& thresholds, int codes) {
  const double distance = Wasserstein1(baseline, variant);
  const auto left = [&](const ValueDistribution& explained) {
    return Wasserstein1(explained, variant) / distance;
  };
  std::vector<Hypothesis> hypotheses;
  if (comparison.clipped_share > thresholds.clipped_share) {
    hypotheses.push_back({Cause::kClipped, left(baseline.Clamped(variant.min(), variant.max()))});
  }
  hypotheses.push_back(
      {Cause::kShifted, left(baseline.Scaled(1, variant.mean() - baseline.mean()))});
  if (baseline.root_mean_square() > 0 && variant.root_mean_square() > 0) {
    const double scale = variant.root_mean_square() / baseline.root_mean_square();
    hypotheses.push_back({Cause::kScaled, left(baseline.Scaled(scale, 0))});
  }
  const double zeros = variant.ShareOfZeros() - baseline.ShareOfZeros();
  if (zeros > kMinPrunedShare) {
    // The smallest ones, or any, as where whole channels go.
    hypotheses.push_back({Cause::kPruned, std::min(left(baseline.WithSmallestZero(zeros)),
                                                   left(baseline.WithSomeZero(zeros)))});
  }
  if (comparison.central_codes < thresholds.central_codes) {
    hypotheses.push_back(
        {Cause::kStretched, left(baseline.Rounded(variant.min(), variant.max(), codes))});
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
  const std::string range =
      "[" + ShortNumber(variant.min()) + ", " + ShortNumber(variant.max()) + "]";
  switch (cause) {
    case Cause::kNone:
      return {};
    case Cause::kDead:
      return "all values are " + ShortNumber(variant.min()) + "; the baseline's spread over [" +
             ShortNumber(baseline.min()) + ", " + ShortNumber(baseline.max()) + "]";
    case Cause::kClipped:
      return "clipped: " + Percent(comparison.clipped_share) +
             " of the baseline's values lie outside " + range;
    case Cause::kShifted:
      return "shifted by " + ShortNumber(comparison.mean_shift_by_sigma) +
             " standard deviations: the mean went from " + ShortNumber(baseline.mean()) + " to " +
             ShortNumber(variant.mean());
    case Cause::kScaled:
      return "scaled by " + ShortNumber(variant.root_mean_square() / baseline.root_mean_square()) +
             ": the same shape, from [" + ShortNumber(baseline.min()) + ", " +
             ShortNumber(baseline.max()) + "] to " + range;
    case Cause::kStretched:
      return "range " + range + " stretched by outliers: 99.9 % of the values share " +
             ShortNumber(std::ceil(comparison.central_codes)) + " of " + std::to_string(codes) +
             " codes";
    case Cause::kPruned:
      return "pruned: " + Percent(variant.ShareOfZeros() - baseline.ShareOfZeros()) +
             " of the values became 0, and the others are much as they were; what that costs, "
             "the " +
             "model's accuracy says";
    case Cause::kChanged:
      break;
  }
  return "distribution changed by " + ShortNumber(comparison.w1_by_sigma) +
         " standard deviations; neither clipping, offset, scale nor outliers explain it";
}

}  // namespace

std::string_view NameOf(Cause cause) {
  constexpr std::array<std::string_view, 8> kNames = {"none",   "dead",      "clipped", "shifted",
                                                      "scaled", "stretched", "pruned",  "changed"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view NameOf(Level level) {
  constexpr std::array<std::string_view, 4> kNames = {"unmeasured", "green", "amber", "red"};
  return kNames[static_cast<std::size_t>(level)];
}

DamageThresholds ThresholdsFor(int bits, const DamageThresholds& for_8_bits) {
  DamageThresholds thresholds = for_8_bits;
  for (double* limit :
       {&thresholds.sqnr_amber_db, &thresholds.sqnr_red_db, &thresholds.worst_channel_red_db}) {
    *limit = LimitDb(*limit, bits);
  }
  thresholds.clipped_share = LimitOfClipped(thresholds.clipped_share, bits);
  if (bits < 8) thresholds.central_codes = std::ldexp(thresholds.central_codes, bits - 8);
  return thresholds;
}

Diagnosis Diagnose(const ValueDistribution& baseline, const ValueDistribution& variant,
                   const HistogramComparison& comparison, const DamageThresholds& thresholds,
                   int codes) {
  if (comparison.is_identical()) {
    return {.explanation =
                "not measured: both histograms are the same, so either this tensor was not "
                "quantized or the same values were logged twice"};
  }
  Diagnosis diagnosis{.level = Level::kGreen};
  const bool noticeable = comparison.sqnr_at_most_db < thresholds.sqnr_amber_db ||
                          comparison.clipped_share > thresholds.clipped_share ||
                          std::abs(comparison.mean_shift_by_sigma) > thresholds.mean_shift_by_sigma;
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
