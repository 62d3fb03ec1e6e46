#include "compression/model_comparison/detective.h"

#include <algorithm>
#include <cmath>

#include "compression/model_comparison/channel_sizes.h"
#include "compression/model_comparison/leftovers.h"

namespace cboard::compare {
namespace {

// What is left of the error when a cause is undone; more than this is no explanation.
constexpr double kExplained = 0.5;
// A factor or offset fitted to each channel explains some of any error. It has to leave less.
constexpr double kFitted = 0.25;
// So does a factor where values were cut off: it leaves a third of the error. A wrong scale leaves
// rounding.
constexpr double kRescaled = 0.1;
// Rounding alone gives 0.289 steps; quantizers that clip a little give more.
constexpr double kRoundingSteps = 0.5;
// A scale for which the largest channel is this many times the usual one suits few of them.
constexpr double kSpread = 4;
// In standard deviations: values that reach further are outliers.
constexpr double kUsualRange = 8;

std::string Percent(double share) { return ShortNumber(share * 100, 3) + " %"; }

class Detective {
 public:
  Detective(const Evidence& evidence, double sqnr_db, double worst_db)
      : evidence_(evidence),
        comparison_(*evidence.comparison),
        total_(comparison_.total),
        error_(total_.sum_squared_error),
        is_about_channel_(worst_db < sqnr_db - 10),
        worst_(comparison_.worst_channel.value_or(0)) {}

  void Explain(Diagnosis& diagnosis, bool is_coarse) const {
    const bool found = Permuted(diagnosis) || Dead(diagnosis) || WrongScale(diagnosis) ||
                       Shifted(diagnosis) || Clipped(diagnosis, is_coarse) ||
                       (is_coarse && Stretched(diagnosis));
    if (found) return;
    diagnosis.cause = Cause::kChanged;
    diagnosis.explanation =
        Subject() + " changed: SQNR is " + ShortNumber(total_.SqnrDb(), 3) + " dB" +
        (is_about_channel_ ? ", that of channel " + std::to_string(worst_) + " " +
                                 ShortNumber(comparison_.channels[worst_].SqnrDb(), 3) + " dB,"
                           : "") +
        " and the cosine " + ShortNumber(total_.Cosine()) +
        "; neither scale, offset, clipping, outliers nor channels explain it";
  }

 private:
  std::string Subject() const { return evidence_.part == Part::kWeight ? "weights" : "values"; }

  bool Permuted(Diagnosis& diagnosis) const {
    if (evidence_.permuted_channels < 2) return false;
    diagnosis.cause = Cause::kPermutedChannels;
    diagnosis.explanation = std::to_string(evidence_.permuted_channels) + " of " +
                            std::to_string(comparison_.channels.size()) +
                            " channels hold the values of another channel: their order changed";
    return true;
  }

  bool Dead(Diagnosis& diagnosis) const {
    double explained = 0;
    std::size_t count = 0, first = 0;
    for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
      const PairStatistics& channel = comparison_.channels[c];
      if (channel.reference.sum_squares <= comparison_.negligible_sum_squares) continue;
      if (!IsDead(channel, evidence_.step)) continue;
      if (count++ == 0) first = c;
      explained += comparison_.channels[c].sum_squared_error;
    }
    const bool worst_is_dead =
        is_about_channel_ && count > 0 && IsDead(comparison_.channels[worst_], evidence_.step);
    if (count == 0 || (explained < kExplained * error_ && !worst_is_dead)) return false;
    const PairStatistics& channel = comparison_.channels[first];
    diagnosis.cause = Cause::kDeadChannel;
    diagnosis.explanation =
        std::to_string(count) + " of " + std::to_string(comparison_.channels.size()) +
        " channels " + (count == 1 ? "is" : "are") + " dead: all " + Subject() + " of channel " +
        std::to_string(first) + " are " + ShortNumber(channel.compressed.max) +
        ", the baseline's reach " + ShortNumber(RangeOf(channel.reference));
    return true;
  }

  bool WrongScale(Diagnosis& diagnosis) const {
    const double believed =
        std::min(kRescaled * error_, evidence_.left_by_clipping.value_or(HUGE_VAL));
    const double factor =
        total_.reference.sum_squares > 0 ? total_.Dot() / total_.reference.sum_squares : 1;
    if (std::abs(factor - 1) > 0.01 && LeftByFactor(total_) < believed) {
      diagnosis.cause = Cause::kWrongScale;
      diagnosis.explanation = "scale is wrong: " + Subject() + " are " + ShortNumber(factor) +
                              " times the baseline's; without this factor SQNR would be " +
                              DbOf(LeftByFactor(total_)) + " instead of " + DbOf(error_) + " dB";
      return true;
    }
    std::size_t scaled = 0, worst = worst_;
    double largest = 0;
    for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
      const double off = IsBelowStep(comparison_.channels[c]) ? 0 : std::abs(FactorOf(c) - 1);
      if (off > 0.02) ++scaled;
      if (off <= largest) continue;
      largest = off;
      worst = c;
    }
    // What rounding has made zero is zero times what it was: no factor explains that.
    const auto left = [&](const PairStatistics& channel) {
      return IsBelowStep(channel) ? channel.sum_squared_error : LeftByFactor(channel);
    };
    const bool explains = LeftByChannel(comparison_, left) < believed;
    if (scaled == 0 || !explains) return false;
    diagnosis.cause = Cause::kWrongScale;
    diagnosis.explanation = "scale is wrong in " + std::to_string(scaled) + " of " +
                            std::to_string(comparison_.channels.size()) +
                            " channels: " + Subject() + " of channel " + std::to_string(worst) +
                            " are " + ShortNumber(FactorOf(worst)) + " times the baseline's";
    return true;
  }

  bool IsBelowStep(const PairStatistics& channel) const {
    return evidence_.step && RangeOf(channel.reference) < *evidence_.step;
  }

  double FactorOf(std::size_t c) const {
    const PairStatistics& channel = comparison_.channels[c];
    return channel.reference.sum_squares > 0 ? channel.Dot() / channel.reference.sum_squares : 1;
  }

  bool Shifted(Diagnosis& diagnosis) const {
    const bool everywhere = LeftByOffset(total_) < kExplained * error_;
    if (!everywhere && LeftByChannel(comparison_, LeftByOffset) >= kFitted * error_) return false;
    const PairStatistics* shifted = &total_;
    std::string where;
    if (!everywhere) {
      for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
        const PairStatistics& channel = comparison_.channels[c];
        if (channel.finite_count() == 0 ||
            (shifted != &total_ &&
             std::abs(channel.MeanShiftSigmas()) <= std::abs(shifted->MeanShiftSigmas()))) {
          continue;
        }
        shifted = &channel;
        where = " of channel " + std::to_string(c);
      }
    }
    // Values that hardly vary are rounded to one side by up to half a step: that is no offset.
    const double shift = MeanOf(shifted->compressed) - MeanOf(shifted->reference);
    if (evidence_.part == Part::kOutput && std::abs(shift) < evidence_.step.value_or(0) / 2) {
      return false;
    }
    diagnosis.cause = Cause::kBiasShift;
    diagnosis.explanation =
        Subject() + where + " are shifted by " + ShortNumber(shifted->MeanShiftSigmas(), 3) +
        " standard deviations: the mean went from " + ShortNumber(MeanOf(shifted->reference)) +
        " to " + ShortNumber(MeanOf(shifted->compressed));
    return true;
  }

  bool Clipped(Diagnosis& diagnosis, bool is_coarse) const {
    const std::optional<double> rate = total_.ClipRate();
    const std::optional<double> steps = total_.RmseSteps();
    if (!rate || !steps || *rate == 0) return false;
    if (is_coarse && *steps < kRoundingSteps) return false;
    if (is_coarse && evidence_.left_by_clipping.value_or(0) > kExplained * error_) return false;
    diagnosis.cause = Cause::kOverClipped;
    diagnosis.explanation = "over-clipped: " + Percent(*rate) + " of the baseline's " + Subject() +
                            " lie beyond the last code, at [" + ShortNumber(total_.compressed.min) +
                            ", " + ShortNumber(total_.compressed.max) + "] of [" +
                            ShortNumber(total_.reference.min) + ", " +
                            ShortNumber(total_.reference.max) + "]";
    return true;
  }

  // The error in steps; where weights lie otherwise in the two files, codes were not at hand.
  std::optional<double> RmseSteps() const {
    const std::optional<double> counted = total_.RmseSteps();
    if (counted || !evidence_.step || !(*evidence_.step > 0)) return counted;
    return std::sqrt(error_ / static_cast<double>(total_.finite_count())) / *evidence_.step;
  }

  // Rounding is as good as it gets, but steps are too large for most values.
  bool Stretched(Diagnosis& diagnosis) const {
    const std::optional<double> steps = RmseSteps();
    if (!steps || *steps >= kRoundingSteps) return false;
    if (evidence_.step && Spread(diagnosis)) return true;
    const double sigma = std::sqrt(VarianceOf(total_.reference));
    const double range = RangeOf(total_.reference);
    if (evidence_.step && range < kUsualRange * sigma && SmallChannel(diagnosis)) return true;
    diagnosis.cause = Cause::kOutliers;
    diagnosis.explanation = "outliers stretch the range: it reaches " + ShortNumber(range) + ", " +
                            ShortNumber(range / sigma, 3) + " standard deviations";
    if (evidence_.step) {
      diagnosis.explanation +=
          ", and one step is " + ShortNumber(*evidence_.step / sigma, 3) + " of these";
    }
    if (total_.steps && total_.steps->used_codes) {
      diagnosis.explanation += "; " + std::to_string(*total_.steps->used_codes) + " of " +
                               std::to_string(1 << evidence_.bits) + " codes are used";
    }
    return true;
  }

  // No value stands out, and no channel is large: one of them is small.
  bool SmallChannel(Diagnosis& diagnosis) const {
    if (!is_about_channel_ || comparison_.channels.empty()) return false;
    const std::optional<double> usual = UsualChannelSize(evidence_),
                                size = SizeOfChannel(evidence_, worst_);
    if (!usual || !size || *size * kSpread > *usual) return false;
    diagnosis.cause = Cause::kChannelSpread;
    diagnosis.explanation = "one scale for channels of very different size: channel " +
                            std::to_string(worst_) + " is " + ShortNumber(*size / *usual, 2) +
                            " times the usual one and keeps an SQNR of " +
                            ShortNumber(comparison_.channels[worst_].SqnrDb(), 3) + " dB";
    return true;
  }

  bool Spread(Diagnosis& diagnosis) const {
    std::size_t largest = 0;
    double largest_size = -1;
    for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
      const std::optional<double> size = SizeOfChannel(evidence_, c);
      if (size && *size > largest_size) largest_size = *size, largest = c;
    }
    const std::optional<double> usual = UsualChannelSize(evidence_);
    if (!usual) return false;
    const double ratio = largest_size / *usual;
    if (ratio < kSpread) return false;
    diagnosis.cause = Cause::kChannelSpread;
    diagnosis.explanation = "one scale for channels of very different size: channel " +
                            std::to_string(largest) + " is " + ShortNumber(ratio, 3) +
                            " times the usual one and reaches " +
                            ShortNumber(RangeOf(comparison_.channels[largest].reference)) +
                            "; channel " + std::to_string(worst_) + " keeps an SQNR of " +
                            ShortNumber(comparison_.channels[worst_].SqnrDb(), 3) + " dB";
    return true;
  }

  std::string DbOf(double error) const {
    if (error <= 0) return "unlimited";
    return ShortNumber(10 * std::log10(total_.reference.sum_squares / error), 3);
  }

  const Evidence& evidence_;
  const Comparison& comparison_;
  const PairStatistics& total_;
  double error_;
  bool is_about_channel_;
  std::size_t worst_;
};

}  // namespace

void ExplainError(const Evidence& evidence, double sqnr_db, double worst_channel_db, bool is_coarse,
                  Diagnosis& diagnosis) {
  Detective(evidence, sqnr_db, worst_channel_db).Explain(diagnosis, is_coarse);
}

}  // namespace cboard::compare
