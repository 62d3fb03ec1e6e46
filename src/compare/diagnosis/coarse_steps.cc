#include "compare/diagnosis/coarse_steps.h"

#include <algorithm>
#include <cmath>

#include "cboard/verdict/bit_limits.h"
#include "cboard/verdict/damage_text.h"
#include "cboard/verdict/number_text.h"
#include "compare/diagnosis/channel_sizes.h"

namespace cboard::compare {
namespace {

// If the largest channel is this many times larger than the median channel, one scale does not suit
// both.
constexpr double kSpread = 4;
// A tensor has outliers if its largest value exceeds this number of standard deviations.
constexpr double kTypicalRangeSigmas = 8;
// A quantization range this many times wider than the values was calibrated for other values.
constexpr double kWideRange = 4;
// A channel of 8 bits below this SQNR is damaged: the limit between green and amber.
constexpr double kDamagedChannelDb = 20;

std::string UsedCodes(const Evidence& evidence) {
  const auto& steps = evidence.comparison->total.steps;
  if (!steps || !steps->used_codes) return "";
  const int used = *steps->used_codes;
  return "; " + std::to_string(used) + " of " + std::to_string(1 << evidence.bits) + " codes " +
         (used == 1 ? "is" : "are") + " used";
}

std::string WorstChannel(const tensor::Comparison& comparison, std::size_t worst) {
  return " has an SQNR of " + verdict::ShortNumber(comparison.channels[worst].SqnrDb(), 3) + " dB";
}

// Returns true if the quantization range is much wider than the values, and sets cause and
// explanation.
bool IsUnused(const Evidence& evidence, Diagnosis& diagnosis) {
  const tensor::TensorStatistics& values = evidence.comparison->total.reference;
  const double range = *evidence.step * std::pow(2, evidence.bits);
  const double needed = std::max(values.max, 0.0) - std::min(values.min, 0.0);
  if (!(range > kWideRange * needed)) return false;
  diagnosis.cause = Cause::kOutliers;
  diagnosis.explanation = "the range is too wide for these " + SubjectOf(evidence) +
                          ": its codes span " + verdict::ShortNumber(range) + ", they span " +
                          verdict::ShortNumber(needed) + UsedCodes(evidence);
  return true;
}

bool HasLargeChannel(const Evidence& evidence, Diagnosis& diagnosis) {
  const tensor::Comparison& comparison = *evidence.comparison;
  std::size_t largest = 0;
  double largest_size = -1;
  for (std::size_t c = 0; c < comparison.channels.size(); ++c) {
    const std::optional<double> size = ChannelMagnitude(evidence, c);
    if (size && *size > largest_size) largest_size = *size, largest = c;
  }
  const std::optional<double> usual = MedianChannelMagnitude(evidence);
  if (!usual) return false;
  const double ratio = largest_size / *usual;
  if (ratio < kSpread) return false;
  const std::size_t worst = comparison.worst_channel.value_or(0);
  diagnosis.cause = Cause::kChannelSpread;
  diagnosis.explanation = std::string(verdict::kChannelSpreadText) + "channel " +
                          std::to_string(largest) + " is " + verdict::ShortNumber(ratio, 3) +
                          " times the usual one and reaches " +
                          verdict::ShortNumber(RangeOf(comparison.channels[largest].reference)) +
                          "; channel " + std::to_string(worst) + WorstChannel(comparison, worst);
  return true;
}

// Returns true if rounding would still damage the channel with the lowest SQNR without outliers:
// its values are small compared with a range of kTypicalRangeSigmas.
bool IsDamagedWithoutOutliers(const Evidence& evidence, double sigma, double range) {
  const tensor::Comparison& comparison = *evidence.comparison;
  const tensor::PairStatistics& channel = comparison.channels[comparison.worst_channel.value_or(0)];
  if (channel.finite_count() == 0) return false;
  const double step = *evidence.step * std::min(1.0, kTypicalRangeSigmas * sigma / range);
  const double noise = static_cast<double>(channel.finite_count()) * step * step / 12;
  const double limit = verdict::LimitDb(kDamagedChannelDb, evidence.bits);
  return channel.reference.sum_squares < noise * std::pow(10, limit / 10);
}

// Returns true if the channel with the lowest SQNR is much smaller than the median channel.
bool HasSmallChannel(const Evidence& evidence, Diagnosis& diagnosis) {
  const tensor::Comparison& comparison = *evidence.comparison;
  if (comparison.channels.empty()) return false;
  const std::size_t worst = comparison.worst_channel.value_or(0);
  const std::optional<double> usual = MedianChannelMagnitude(evidence),
                              size = ChannelMagnitude(evidence, worst);
  if (!usual || !size || *size * kSpread > *usual) return false;
  diagnosis.cause = Cause::kChannelSpread;
  diagnosis.explanation = std::string(verdict::kChannelSpreadText) + "channel " +
                          std::to_string(worst) + " is " + verdict::ShortNumber(*size / *usual, 2) +
                          " times the usual one and" + WorstChannel(comparison, worst);
  return true;
}

}  // namespace

std::string SubjectOf(const Evidence& evidence) {
  return evidence.part == Part::kWeight ? "weights" : "values";
}

void ExplainCoarseSteps(const Evidence& evidence, bool knows_channels, bool is_about_channel,
                        Diagnosis& diagnosis) {
  const tensor::TensorStatistics& values = evidence.comparison->total.reference;
  const double sigma = std::sqrt(VarianceOf(values)), range = RangeOf(values);
  if (evidence.step && IsUnused(evidence, diagnosis)) return;
  if (evidence.step && knows_channels) {
    if (HasLargeChannel(evidence, diagnosis)) return;
    // Outliers are the cause only if the small channel would be good without them.
    const bool has_outliers = range >= kTypicalRangeSigmas * sigma;
    const bool is_small_anyway = !has_outliers || IsDamagedWithoutOutliers(evidence, sigma, range);
    if (is_about_channel && is_small_anyway && HasSmallChannel(evidence, diagnosis)) return;
  }
  diagnosis.cause = Cause::kOutliers;
  diagnosis.explanation = std::string(verdict::kOutliersText) + "it reaches " +
                          verdict::ShortNumber(range) + ", " +
                          verdict::ShortNumber(range / sigma, 3) + " standard deviations";
  if (evidence.step) {
    diagnosis.explanation +=
        ", and one step is " + verdict::ShortNumber(*evidence.step / sigma, 3) + " of these";
  }
  diagnosis.explanation += UsedCodes(evidence);
}

}  // namespace cboard::compare
