#include "compare/diagnosis/error_explanation.h"

#include <algorithm>
#include <cmath>

#include "cboard/verdict/bit_limits.h"
#include "cboard/verdict/damage_text.h"
#include "cboard/verdict/number_text.h"
#include "compare/diagnosis/channel_sizes.h"
#include "compare/diagnosis/coarse_steps.h"
#include "compare/diagnosis/residuals.h"

namespace cboard::compare {
namespace {

// A cause explains the error if, after the cause is undone, at most this share of the error
// remains.
constexpr double kExplained = 0.5;
// Limit for causes with a factor or offset fitted to each channel. The limit is low, because such a
// fit reduces any error.
constexpr double kFitted = 0.25;
// Limit for a factor if values were clipped. A fitted factor always reduces a clipping error to
// about a third, but a wrong scale leaves only rounding.
constexpr double kRescaled = 0.1;
// Maximum error in steps (root mean square) of a quantizer that only rounds and clips a little.
// Rounding alone gives 0.289.
constexpr double kRoundingSteps = 0.5;
// Maximum rounding error in steps: half a step, plus the rounding of code times scale.
constexpr double kHalfStep = 0.51;

// Root mean square error in steps. nullopt if the two files store weights in a different order,
// because then codes were not compared.
std::optional<double> RmseStepsOf(const Evidence& evidence) {
  const tensor::PairStatistics& total = evidence.comparison->total;
  const std::optional<double> counted = total.RmseSteps();
  if (counted || !evidence.step || !(*evidence.step > 0)) return counted;
  return std::sqrt(total.sum_squared_error / static_cast<double>(total.finite_count())) /
         *evidence.step;
}

// Returns the part of the error that even a good quantizer with this bit width would cause. Returns
// 0 if this would be most of the error, because then the steps are too large.
double RoundingOf(const Evidence& evidence) {
  if (evidence.bits > 8) return 0;
  const tensor::PairStatistics& total = evidence.comparison->total;
  const double error = total.sum_squared_error;
  const std::optional<double> steps = RmseStepsOf(evidence);
  const double rounding =
      steps && *steps > 0
          ? error / (12 * *steps * *steps)
          : total.compressed.sum_squares * std::pow(10, -verdict::BestSqnrDb(evidence.bits) / 10);
  return rounding < error / 2 ? rounding : 0;
}

class ErrorExplainer {
 public:
  ErrorExplainer(const Evidence& evidence, double sqnr_db, double worst_db)
      : evidence_(evidence),
        comparison_(*evidence.comparison),
        total_(comparison_.total),
        error_(total_.sum_squared_error),
        rounding_(RoundingOf(evidence)),
        is_about_channel_(worst_db < sqnr_db - 10),
        worst_(comparison_.worst_channel.value_or(0)),
        clipping_residual_(evidence.clipping_residual
                               ? std::optional(evidence.clipping_residual->sum_squares)
                               : std::nullopt),
        only_rounds_and_clips_(evidence.clipping_residual && evidence.step &&
                               evidence.clipping_residual->max <= kHalfStep * *evidence.step),
        knows_channels_(evidence.part == Part::kWeight || ShowsChannels(comparison_)) {}

  void Explain(Diagnosis& diagnosis, bool is_coarse) const {
    if (!only_rounds_and_clips_ && (Permuted(diagnosis) || Pruned(diagnosis) || Dead(diagnosis) ||
                                    WrongScale(diagnosis) || Shifted(diagnosis))) {
      return;
    }
    if (Clipped(diagnosis, is_coarse) || (is_coarse && Stretched(diagnosis))) return;
    diagnosis.cause = Cause::kChanged;
    diagnosis.explanation =
        SubjectOf(evidence_) + " changed: " + verdict::SqnrClause(total_.SqnrDb()) +
        (is_about_channel_ ? ", that of channel " + std::to_string(worst_) + " " +
                                 ChannelText(comparison_.channels[worst_].SqnrDb()) + ","
                           : "") +
        " and the cosine " + verdict::ShortNumber(total_.Cosine()) + "; " +
        std::string(verdict::kUnexplainedText) +
        (evidence_.pruned.count > 0 ? ", and neither do the " + verdict::Percent(PrunedShare()) +
                                          " that are 0 and were not"
                                    : "");
  }

 private:
  static std::string ChannelText(double db) {
    return std::isinf(db) ? "lost" : verdict::ShortNumber(db, 3) + " dB";
  }

  // Maximum residual of a cause that explains all of the error except `share`.
  double AcceptableResidual(double share) const { return share * error_ + (1 - share) * rounding_; }

  bool Permuted(Diagnosis& diagnosis) const {
    const auto& [channels, explained] = evidence_.permuted;
    if (channels < 2 || explained < kExplained * (error_ - rounding_)) return false;
    diagnosis.cause = Cause::kPermutedChannels;
    diagnosis.explanation = std::to_string(channels) + " of " +
                            std::to_string(comparison_.channels.size()) +
                            " channels hold the values of another channel: their order changed";
    return true;
  }

  double PrunedShare() const {
    return static_cast<double>(evidence_.pruned.count) / static_cast<double>(total_.finite_count());
  }

  bool Pruned(Diagnosis& diagnosis) const {
    const PrunedWeights& pruned = evidence_.pruned;
    const double left = std::max(0.0, error_ - pruned.sum_squares);
    if (pruned.count == 0 || left > AcceptableResidual(kExplained)) return false;
    // The pruned weights are zero now, so their squares are not part of the signal any more.
    const double kept = total_.reference.sum_squares - pruned.sum_squares;
    // The tolerance is for rounding errors of the sums.
    const bool is_nothing_else = left <= 1e-12 * total_.reference.sum_squares;
    diagnosis.cause = Cause::kPruned;
    diagnosis.explanation =
        verdict::PrunedText("weights", PrunedShare()) + " and were up to " +
        verdict::ShortNumber(pruned.largest) + " of " +
        verdict::ShortNumber(RangeOf(total_.reference)) +
        (pruned.channels == 0
             ? std::string()
             : ", and all weights of " + std::to_string(pruned.channels) +
                   (pruned.channels == 1 ? " channel" : " channels") + " are zero") +
        (is_nothing_else ? "; the others are as they were"
                         : "; the others have an SQNR of " +
                               verdict::ShortNumber(10 * std::log10(kept / left), 3) + " dB");
    return true;
  }

  bool Dead(Diagnosis& diagnosis) const {
    if (!knows_channels_) return false;
    double explained = 0;
    std::size_t count = 0, first = 0;
    for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
      const tensor::PairStatistics& channel = comparison_.channels[c];
      if (channel.reference.sum_squares <= comparison_.negligible_sum_squares) continue;
      if (!IsDead(channel, evidence_.step)) continue;
      if (count++ == 0) first = c;
      explained += comparison_.channels[c].sum_squared_error;
    }
    const bool worst_is_dead =
        is_about_channel_ && count > 0 && IsDead(comparison_.channels[worst_], evidence_.step);
    if (count == 0 || (explained < kExplained * (error_ - rounding_) && !worst_is_dead))
      return false;
    const tensor::PairStatistics& channel = comparison_.channels[first];
    diagnosis.cause = Cause::kDeadChannel;
    diagnosis.explanation =
        std::to_string(count) + " of " + std::to_string(comparison_.channels.size()) +
        " channels " + (count == 1 ? "is" : "are") + " dead: all " + SubjectOf(evidence_) +
        " of channel " + std::to_string(first) + " are " +
        verdict::ShortNumber(channel.compressed.max) + ", the baseline's reach " +
        verdict::ShortNumber(RangeOf(channel.reference));
    return true;
  }

  bool WrongScale(Diagnosis& diagnosis) const {
    const double believed =
        std::min(AcceptableResidual(kRescaled), clipping_residual_.value_or(HUGE_VAL));
    const double factor =
        total_.reference.sum_squares > 0 ? total_.Dot() / total_.reference.sum_squares : 1;
    if (std::abs(factor - 1) > 0.01 && ScaleResidual(total_) < believed) {
      diagnosis.cause = Cause::kWrongScale;
      diagnosis.explanation = verdict::WrongScaleText(SubjectOf(evidence_), factor) +
                              "; without this factor SQNR would be " + DbOf(ScaleResidual(total_)) +
                              " instead of " + DbOf(error_) + " dB";
      return true;
    }
    if (!knows_channels_) return false;
    std::size_t scaled = 0, worst = worst_;
    double largest = 0;
    for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
      const double off = IsBelowStep(comparison_.channels[c]) ? 0 : std::abs(FactorOf(c) - 1);
      if (off > 0.02) ++scaled;
      if (off <= largest) continue;
      largest = off;
      worst = c;
    }
    // A factor cannot explain values that were rounded to zero, so their full error remains.
    const auto left = [&](const tensor::PairStatistics& channel) {
      return IsBelowStep(channel) ? channel.sum_squared_error : ScaleResidual(channel);
    };
    const bool explains = PerChannelResidual(comparison_, left) < believed;
    if (scaled == 0 || !explains) return false;
    diagnosis.cause = Cause::kWrongScale;
    diagnosis.explanation = "scale is wrong in " + std::to_string(scaled) + " of " +
                            std::to_string(comparison_.channels.size()) +
                            " channels: " + SubjectOf(evidence_) + " of channel " +
                            std::to_string(worst) + " are " +
                            verdict::ShortNumber(FactorOf(worst)) + " times the baseline's";
    return true;
  }

  bool IsBelowStep(const tensor::PairStatistics& channel) const {
    return evidence_.step && RangeOf(channel.reference) < *evidence_.step;
  }

  double FactorOf(std::size_t c) const {
    const tensor::PairStatistics& channel = comparison_.channels[c];
    return channel.reference.sum_squares > 0 ? channel.Dot() / channel.reference.sum_squares : 1;
  }

  bool Shifted(Diagnosis& diagnosis) const {
    const double clipped = clipping_residual_.value_or(HUGE_VAL);
    const bool everywhere =
        OffsetResidual(total_) < std::min(AcceptableResidual(kExplained), clipped);
    if (!everywhere && (!knows_channels_ || PerChannelResidual(comparison_, OffsetResidual) >=
                                                std::min(AcceptableResidual(kFitted), clipped))) {
      return false;
    }
    const tensor::PairStatistics* shifted = &total_;
    std::string where;
    if (!everywhere) {
      for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
        const tensor::PairStatistics& channel = comparison_.channels[c];
        if (channel.finite_count() == 0 ||
            (shifted != &total_ &&
             std::abs(channel.MeanShiftSigmas()) <= std::abs(shifted->MeanShiftSigmas()))) {
          continue;
        }
        shifted = &channel;
        where = " of channel " + std::to_string(c);
      }
    }
    if (!IsShifted(evidence_, *shifted)) return false;
    diagnosis.cause = Cause::kBiasShift;
    diagnosis.explanation =
        verdict::ShiftedText(SubjectOf(evidence_) + where, shifted->MeanShiftSigmas(),
                             MeanOf(shifted->reference), MeanOf(shifted->compressed));
    return true;
  }

  bool Clipped(Diagnosis& diagnosis, bool is_coarse) const {
    const std::optional<double> rate = total_.ClipRate();
    const std::optional<double> steps = total_.RmseSteps();
    if (!rate || !steps || *rate == 0) return false;
    const bool explains = clipping_residual_ ? *clipping_residual_ <= AcceptableResidual(kExplained)
                                             : *steps >= kRoundingSteps;
    if (is_coarse && !explains) return false;
    diagnosis.cause = Cause::kOverClipped;
    diagnosis.explanation = verdict::ClippedText(SubjectOf(evidence_), *rate,
                                                 {total_.compressed.min, total_.compressed.max},
                                                 {total_.reference.min, total_.reference.max});
    return true;
  }

  // Explains steps that are too large for most values, although rounding itself is correct.
  bool Stretched(Diagnosis& diagnosis) const {
    const std::optional<double> steps = RmseStepsOf(evidence_);
    if (!only_rounds_and_clips_ && (!steps || *steps >= kRoundingSteps)) return false;
    ExplainCoarseSteps(evidence_, knows_channels_, is_about_channel_, diagnosis);
    return true;
  }

  std::string DbOf(double error) const {
    if (error <= 0) return "unlimited";
    return verdict::ShortNumber(10 * std::log10(total_.reference.sum_squares / error), 3);
  }

  const Evidence& evidence_;
  const tensor::Comparison& comparison_;
  const tensor::PairStatistics& total_;
  double error_;
  double rounding_;
  bool is_about_channel_;
  std::size_t worst_;
  std::optional<double> clipping_residual_;
  bool only_rounds_and_clips_;  // The quantizer works as expected: no other error is there.
  bool knows_channels_;         // Channels of weights are always known completely.
};

}  // namespace

void ExplainError(const Evidence& evidence, double sqnr_db, double worst_channel_db, bool is_coarse,
                  Diagnosis& diagnosis) {
  ErrorExplainer(evidence, sqnr_db, worst_channel_db).Explain(diagnosis, is_coarse);
}

}  // namespace cboard::compare
