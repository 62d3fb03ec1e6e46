#include "compare/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/verdict/bit_limits.h"
#include "cboard/verdict/number_text.h"
#include "compare/diagnosis/error_explanation.h"

namespace cboard::compare {

namespace {

// The SQNR in dB that is lost because errors of earlier layers made the signal smaller.
double SqnrLostUpstream(const Evidence& evidence) {
  const double now = evidence.comparison->total.reference.sum_squares;
  return now > 0 && evidence.baseline_energy > now ? 10 * std::log10(evidence.baseline_energy / now)
                                                   : 0;
}

}  // namespace

bool IsShifted(const Evidence& evidence, const tensor::PairStatistics& pairs) {
  return evidence.part != Part::kOutput ||
         std::abs(ShiftOf(pairs)) >= evidence.step.value_or(0) / 2;
}

bool IsWorse(const Diagnosis& a, const Diagnosis& b) {
  if (a.level != b.level) return a.level > b.level;
  return a.severity_db < b.severity_db;
}

std::optional<double> WeightedSqnrDb(const tensor::Comparison& comparison,
                                     const std::vector<double>& importance) {
  if (importance.empty() || importance.size() != comparison.channels.size()) return std::nullopt;
  double signal = 0, noise = 0;
  for (std::size_t c = 0; c < importance.size(); ++c) {
    if (comparison.channels[c].finite_count() == 0) continue;
    signal += importance[c] * comparison.channels[c].reference.sum_squares;
    noise += importance[c] * comparison.channels[c].sum_squared_error;
  }
  if (!(signal > 0) || !(noise > 0)) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

std::optional<Diagnosis> DiagnoseNotFinite(Part part, const tensor::PairStatistics& total) {
  const auto count = [](const tensor::TensorStatistics& side) {
    return side.nan_count + side.positive_infinity_count + side.negative_infinity_count;
  };
  const std::uint64_t before = count(total.reference), after = count(total.compressed);
  if (after <= before) return std::nullopt;
  const std::string what = part == Part::kWeight ? "weights" : "values";
  return Diagnosis{.level = Level::kRed,
                   .cause = Cause::kNotFinite,
                   .part = part,
                   .severity_db = -HUGE_VAL,
                   .explanation = HumanCount(after - before) + " of " + HumanCount(total.count) +
                                  " " + what + (after - before == 1 ? " is" : " are") +
                                  " NaN or infinite, and finite in the baseline: nothing is left "
                                  "of what is computed with them"};
}

Diagnosis Diagnose(const Evidence& evidence, const Thresholds& thresholds) {
  if (auto not_finite = DiagnoseNotFinite(evidence.part, evidence.comparison->total)) {
    return *std::move(not_finite);
  }
  Diagnosis diagnosis{.level = Level::kGreen, .part = evidence.part, .severity_db = HUGE_VAL};
  const tensor::Comparison& comparison = *evidence.comparison;
  const tensor::PairStatistics& total = comparison.total;
  if (total.finite_count() == 0 || total.sum_squared_error == 0) return diagnosis;
  const double lost_before = SqnrLostUpstream(evidence);
  const auto as_of_8_bits = [&](double sqnr_db) {
    return verdict::AsOf8BitsDb(sqnr_db + lost_before, evidence.bits);
  };
  const double sqnr = as_of_8_bits(total.SqnrDb());
  double worst = HUGE_VAL;
  if (comparison.worst_channel) {
    worst = as_of_8_bits(comparison.channels[*comparison.worst_channel].SqnrDb());
  }
  diagnosis.severity_db = sqnr;
  // Even in sound models, some channels of an output are almost always 0. So the channels of an
  // output are evaluated together, weighted by the weights of the next layer. A single channel of
  // weights may have a lower SQNR than the whole tensor, by the difference of the two limits.
  if (evidence.part == Part::kOutput) {
    if (const auto useful = WeightedSqnrDb(comparison, evidence.channel_importance)) {
      diagnosis.severity_db = std::min(sqnr, as_of_8_bits(*useful));
    }
  } else {
    diagnosis.severity_db =
        std::min(sqnr, worst + thresholds.sqnr_red_db - thresholds.worst_channel_red_db);
  }
  diagnosis.level = LevelOf(diagnosis.severity_db, thresholds);
  if (diagnosis.level == Level::kGreen &&
      (total.ClipRate().value_or(0) >
           verdict::LimitOfClipped(thresholds.clip_rate_amber, evidence.bits) ||
       total.RmseSteps().value_or(0) > thresholds.rmse_steps_amber ||
       (std::abs(total.MeanShiftSigmas()) > thresholds.mean_shift_amber &&
        IsShifted(evidence, total)))) {
    diagnosis.level = Level::kAmber;
  }
  if (diagnosis.level != Level::kGreen) {
    const bool is_coarse = diagnosis.severity_db < thresholds.sqnr_amber_db;
    ExplainError(evidence, sqnr, worst, is_coarse, diagnosis);
  }
  if (diagnosis.cause == Cause::kPruned) diagnosis.level = std::min(diagnosis.level, Level::kAmber);
  return diagnosis;
}

Diagnosis DiagnoseBias(double shift, double worst_shift, std::size_t worst_channel,
                       const Thresholds& thresholds) {
  Diagnosis diagnosis{.level = Level::kGreen, .part = Part::kBias};
  const double all = -20 * std::log10(std::max(shift, 1e-15));
  const double worst = -20 * std::log10(std::max(worst_shift, 1e-15));
  diagnosis.severity_db =
      std::min(all, worst + thresholds.sqnr_red_db - thresholds.worst_channel_red_db);
  diagnosis.level = LevelOf(diagnosis.severity_db, thresholds);
  if (diagnosis.level == Level::kGreen) return diagnosis;
  diagnosis.cause = Cause::kBiasShift;
  diagnosis.explanation = "bias is shifted by " + verdict::ShortNumber(shift, 3) +
                          " standard deviations of the output, most in channel " +
                          std::to_string(worst_channel) + " (" +
                          verdict::ShortNumber(worst_shift, 3) + ")";
  return diagnosis;
}

}  // namespace cboard::compare
