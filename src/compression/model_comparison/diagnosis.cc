#include "compression/model_comparison/diagnosis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace cboard::compare {

std::string_view NameOf(Level level) {
  constexpr std::array<std::string_view, 3> kNames = {"green", "amber", "red"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string_view NameOf(Cause cause) {
  constexpr std::array<std::string_view, 9> kNames = {
      "none",           "wrong_scale",  "bias_shift",        "outliers", "over_clipped",
      "channel_spread", "dead_channel", "permuted_channels", "changed"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view NameOf(Part part) {
  constexpr std::array<std::string_view, 3> kNames = {"weight", "bias", "output"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string ShortNumber(double value, int digits) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

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

std::string Percent(double share) { return ShortNumber(share * 100, 3) + " %"; }

double Square(double x) { return x * x; }

double MeanOf(const TensorStatistics& side) {
  return side.sum / static_cast<double>(side.finite_count());
}

double VarianceOf(const TensorStatistics& side) {
  return std::max(
      0.0, side.sum_squares / static_cast<double>(side.finite_count()) - Square(MeanOf(side)));
}

double RangeOf(const TensorStatistics& side) {
  return std::max(std::abs(side.min), std::abs(side.max));
}

bool IsDead(const PairStatistics& channel, std::optional<double> step) {
  if (channel.finite_count() == 0 || channel.reference.sum_squares == 0) return false;
  if (step && RangeOf(channel.reference) < *step) return false;  // Too small for its scale.
  return VarianceOf(channel.compressed) <= 1e-6 * VarianceOf(channel.reference) &&
         VarianceOf(channel.reference) > 0;
}

// Σ(y - a x)² with the factor a that makes it smallest, and Σ(y - x - d)² likewise.
double LeftByFactor(const PairStatistics& pairs) {
  if (pairs.reference.sum_squares == 0) return pairs.sum_squared_error;
  return std::max(0.0,
                  pairs.compressed.sum_squares - Square(pairs.Dot()) / pairs.reference.sum_squares);
}
double LeftByOffset(const PairStatistics& pairs) {
  const double offset = MeanOf(pairs.compressed) - MeanOf(pairs.reference);
  return std::max(
      0.0, pairs.sum_squared_error - static_cast<double>(pairs.finite_count()) * Square(offset));
}

// The sum over channels of what a fit to each leaves, corrected for the degrees of freedom used.
template <typename Left>
double LeftByChannel(const Comparison& comparison, const Left& left) {
  double sum = 0, counted = 0;
  for (const PairStatistics& channel : comparison.channels) {
    if (channel.finite_count() == 0) continue;
    sum += left(channel);
    counted += 1;
  }
  const double n = static_cast<double>(comparison.total.finite_count());
  return n > counted && counted > 0 ? sum * n / (n - counted) : HUGE_VAL;
}

class Detective {
 public:
  Detective(const Evidence& evidence, double sqnr_db, double worst_db)
      : evidence_(evidence),
        comparison_(*evidence.comparison),
        total_(comparison_.total),
        error_(total_.sum_squared_error),
        is_about_channel_(worst_db < sqnr_db - 10),
        worst_(comparison_.worst_channel.value_or(0)) {}

  // Sets cause and explanation. `is_coarse`: there is too much error; otherwise, only what is
  // clipped or shifted was found to be more than usual.
  void Explain(Diagnosis& diagnosis, bool is_coarse) const {
    const bool found = Permuted(diagnosis) || Dead(diagnosis) || WrongScale(diagnosis) ||
                       Shifted(diagnosis) || Clipped(diagnosis, is_coarse) ||
                       (is_coarse && Stretched(diagnosis));
    if (found) return;
    diagnosis.cause = Cause::kChanged;
    diagnosis.explanation = Subject() + " changed: SQNR is " + ShortNumber(total_.SqnrDb(), 3) +
                            " dB and the cosine " + ShortNumber(total_.Cosine()) +
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

  // Rounding is as good as it gets, but steps are too large for most values.
  bool Stretched(Diagnosis& diagnosis) const {
    const std::optional<double> steps = total_.RmseSteps();
    if (!steps || *steps >= kRoundingSteps) return false;
    if (evidence_.step && Spread(diagnosis)) return true;
    const double sigma = std::sqrt(VarianceOf(total_.reference));
    const double range = RangeOf(total_.reference);
    diagnosis.cause = Cause::kOutliers;
    diagnosis.explanation = "outliers stretch the range: it reaches " + ShortNumber(range) + ", " +
                            ShortNumber(range / sigma, 3) + " standard deviations";
    if (evidence_.step) {
      diagnosis.explanation +=
          ", and one step is " + ShortNumber(*evidence_.step / sigma, 3) + " of these";
    }
    if (total_.steps->used_codes) {
      diagnosis.explanation += "; " + std::to_string(*total_.steps->used_codes) + " of " +
                               std::to_string(1 << evidence_.bits) + " codes are used";
    }
    return true;
  }

  bool Spread(Diagnosis& diagnosis) const {
    std::vector<double> sizes;
    std::size_t largest = 0;
    double largest_size = -1;
    for (std::size_t c = 0; c < comparison_.channels.size(); ++c) {
      const PairStatistics& channel = comparison_.channels[c];
      if (channel.finite_count() == 0 || channel.reference.sum_squares == 0) continue;
      const double size = c < evidence_.channel_medians.size()
                              ? double{evidence_.channel_medians[c]}
                              : std::sqrt(channel.reference.sum_squares /
                                          static_cast<double>(channel.finite_count()));
      if (size > largest_size) largest_size = size, largest = c;
      sizes.push_back(size);
    }
    if (sizes.size() < 2) return false;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
    std::ranges::nth_element(sizes, middle);
    const double ratio = largest_size / std::max(*middle, 1e-30);
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

// What errors in the layers before have taken from the signal.
double LostBefore(const Evidence& evidence) {
  const double now = evidence.comparison->total.reference.sum_squares;
  return now > 0 && evidence.baseline_energy > now ? 10 * std::log10(evidence.baseline_energy / now)
                                                   : 0;
}

// 8-bit limits, for what has fewer bits and can only be coarser.
double AllowanceOf(int bits) { return bits < 8 ? 6.02 * (8 - bits) : 0; }

Level LevelOf(double severity_db, const Thresholds& thresholds) {
  return severity_db < thresholds.sqnr_red_db     ? Level::kRed
         : severity_db < thresholds.sqnr_amber_db ? Level::kAmber
                                                  : Level::kGreen;
}

}  // namespace

std::optional<double> UsefulSqnrDb(const Comparison& comparison,
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

Diagnosis Diagnose(const Evidence& evidence, const Thresholds& thresholds) {
  Diagnosis diagnosis{.part = evidence.part, .severity_db = HUGE_VAL};
  const Comparison& comparison = *evidence.comparison;
  const PairStatistics& total = comparison.total;
  if (total.finite_count() == 0 || total.sum_squared_error == 0) return diagnosis;
  const double allowance = AllowanceOf(evidence.bits) + LostBefore(evidence);
  const double sqnr = total.SqnrDb() + allowance;
  double worst = HUGE_VAL;
  if (comparison.worst_channel) {
    worst = comparison.channels[*comparison.worst_channel].SqnrDb() + allowance;
  }
  diagnosis.severity_db = sqnr;
  // The channels of an output count together, as much as what follows makes of them: some hardly
  // ever fire, in sound networks, too. One of the weights may be worse than the whole by as much as
  // their limits differ.
  if (evidence.part == Part::kOutput) {
    if (const auto useful = UsefulSqnrDb(comparison, evidence.channel_importance)) {
      diagnosis.severity_db = std::min(sqnr, *useful + allowance);
    }
  } else {
    diagnosis.severity_db =
        std::min(sqnr, worst + thresholds.sqnr_red_db - thresholds.worst_channel_red_db);
  }
  diagnosis.level = LevelOf(diagnosis.severity_db, thresholds);
  if (diagnosis.level == Level::kGreen &&
      (total.ClipRate().value_or(0) > thresholds.clip_rate_amber ||
       total.RmseSteps().value_or(0) > thresholds.rmse_steps_amber ||
       std::abs(total.MeanShiftSigmas()) > thresholds.mean_shift_amber)) {
    diagnosis.level = Level::kAmber;
  }
  if (diagnosis.level != Level::kGreen) {
    Detective(evidence, sqnr, worst)
        .Explain(diagnosis, diagnosis.severity_db < thresholds.sqnr_amber_db);
  }
  return diagnosis;
}

Diagnosis DiagnoseBias(double shift, double worst_shift, std::size_t worst_channel,
                       const Thresholds& thresholds) {
  Diagnosis diagnosis{.part = Part::kBias};
  const double all = -20 * std::log10(std::max(shift, 1e-15));
  const double worst = -20 * std::log10(std::max(worst_shift, 1e-15));
  diagnosis.severity_db =
      std::min(all, worst + thresholds.sqnr_red_db - thresholds.worst_channel_red_db);
  diagnosis.level = LevelOf(diagnosis.severity_db, thresholds);
  if (diagnosis.level == Level::kGreen) return diagnosis;
  diagnosis.cause = Cause::kBiasShift;
  diagnosis.explanation = "bias is shifted by " + ShortNumber(shift, 3) +
                          " standard deviations of the output, most in channel " +
                          std::to_string(worst_channel) + " (" + ShortNumber(worst_shift, 3) + ")";
  return diagnosis;
}

}  // namespace cboard::compare
