#include "compare/measure/head_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace cboard::compare {
namespace {

// The decision (arg max) at a position is clear if the distance between the two largest channels is
// at least this share of the distance between the largest channel and the mean. If they are almost
// equal, any rounding changes the arg max.
constexpr double kClearMargin = 0.1;
constexpr double kSumTolerance = 1e-3;

double Ratio(double signal, double error) {
  if (error == 0) return std::numeric_limits<double>::infinity();
  if (signal <= 0) return -std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / error);
}

// Adds a value to a digest (FNV-1a, a float at a time).
std::uint64_t Digest(std::uint64_t digest, float value) {
  return (digest ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
}

// The two largest channels at one position.
struct Largest {
  float first = -std::numeric_limits<float>::infinity();
  float second = -std::numeric_limits<float>::infinity();
  std::size_t channel = 0;
  std::size_t ties = 0;
  double sum = 0;

  void Add(float value, std::size_t at) {
    sum += value;
    if (value > first) {
      second = first;
      first = value;
      channel = at;
      ties = 1;
    } else {
      if (value == first) ++ties;
      second = std::max(second, value);
    }
  }

  bool IsClear(std::size_t channels) const {
    const double mean = sum / static_cast<double>(channels);
    return std::isfinite(first) && first - second >= kClearMargin * (first - mean) &&
           first > second;
  }
};

}  // namespace

void HeadCounts::AddValues(float x, float y) {
  if (!std::isfinite(x)) return;
  if (!std::isfinite(y)) {
    ++became_not_finite;
    return;
  }
  if (count++ == 0) shift = x;
  const double around = x - shift, error = double{x} - double{y};
  sum += around;
  sum_squares += around * around;
  sum_energy += double{x} * double{x};
  sum_squared_error += error * error;
  baseline_min = std::min(baseline_min, double{x});
  baseline_max = std::max(baseline_max, double{x});
  variant_min = std::min(variant_min, double{y});
  variant_max = std::max(variant_max, double{y});
  if (variant_values.size() < kMaxDistinct) variant_values.insert(y);
  for (std::size_t i = 0; i < kScoreThresholds.size(); ++i) {
    Detections& found = detections[i];
    const double threshold = kScoreThresholds[i];
    if (x >= threshold) {
      ++found.baseline;
      if (y >= threshold / 2) ++found.kept;
    }
    if (y >= threshold) {
      ++found.variant;
      if (x >= threshold / 2) ++found.right;
    }
  }
}

void HeadCounts::SampleDigests::Add(std::uint64_t digest) {
  if (!first) first = digest;
  differ = differ || digest != *first;
}

void HeadCounts::Add(std::span<const float> baseline, std::span<const float> variant,
                     const ChannelSizes& sizes) {
  std::vector<std::uint32_t> our_labels, their_labels;
  std::uint64_t our_digest = 0, their_digest = 0;
  for (std::size_t outer = 0; outer < sizes.outer; ++outer) {
    const std::size_t first = (outer * sizes.channels + first_channel) * sizes.inner;
    for (std::size_t i = first; i < first + channel_count * sizes.inner; ++i) {
      AddValues(baseline[i], variant[i]);
      our_digest = Digest(our_digest, baseline[i]);
      their_digest = Digest(their_digest, variant[i]);
    }
    AddPositions(baseline, variant, sizes, outer, our_labels, their_labels);
  }
  ++samples;
  baseline_digests.Add(our_digest);
  variant_digests.Add(their_digest);
  if (channel_count != sizes.channels) return;
  if (!MayBeScores()) vectors.Add(baseline, variant, sizes);
  if (sizes.is_sequence) labels.Add(std::move(our_labels), std::move(their_labels));
}

void HeadCounts::AddPositions(std::span<const float> baseline, std::span<const float> variant,
                              const ChannelSizes& sizes, std::size_t outer,
                              std::vector<std::uint32_t>& our_labels,
                              std::vector<std::uint32_t>& their_labels) {
  if (channel_count < 2) return;
  std::vector<Largest> ours(sizes.inner), theirs(sizes.inner);
  for (std::size_t c = 0; c < channel_count; ++c) {
    const std::size_t row = (outer * sizes.channels + first_channel + c) * sizes.inner;
    for (std::size_t i = 0; i < sizes.inner; ++i) {
      ours[i].Add(baseline[row + i], c);
      theirs[i].Add(variant[row + i], c);
    }
  }
  for (std::size_t i = 0; i < sizes.inner; ++i) {
    ++positions;
    our_labels.push_back(static_cast<std::uint32_t>(ours[i].channel));
    their_labels.push_back(static_cast<std::uint32_t>(theirs[i].channel));
    if (std::abs(ours[i].sum - 1) <= kSumTolerance) ++sums_of_one;
    const std::size_t answer = ours[i].channel;
    const std::size_t row = (outer * sizes.channels + first_channel + answer) * sizes.inner;
    const float kept = variant[row + i];
    const bool is_largest = kept == theirs[i].first && theirs[i].ties > 0;
    const bool is_same = is_largest && theirs[i].ties == 1;
    if (is_same) ++same_positions;
    const double scale = ours[i].first - ours[i].sum / static_cast<double>(channel_count);
    if (margins.size() < kMaxMargins && scale > 0 && std::isfinite(scale)) {
      const double margin = ours[i].first - ours[i].second;
      const double left = kept - (is_same ? theirs[i].second : theirs[i].first);
      margins.push_back({static_cast<float>(margin / scale),
                         std::isfinite(left) ? static_cast<float>((margin - left) / scale)
                                             : std::numeric_limits<float>::infinity()});
    }
    if (!ours[i].IsClear(channel_count)) continue;
    ++clear_positions;
    const double share = 1.0 / static_cast<double>(std::max<std::size_t>(theirs[i].ties, 1));
    Answers& counted = answers[answer];
    counted.baseline += 1;
    if (is_largest) {
      counted.variant += share;
      counted.both += share;
    } else {
      answers[theirs[i].channel].variant += 1;
    }
  }
}

void HeadCounts::AddDetected(std::span<const float> baseline, std::span<const float> variant,
                             const ChannelSizes& sizes, const std::vector<bool>& is_detected) {
  for (std::size_t outer = 0; outer < sizes.outer; ++outer) {
    for (std::size_t c = 0; c < channel_count; ++c) {
      const std::size_t row = (outer * sizes.channels + first_channel + c) * sizes.inner;
      for (std::size_t i = 0; i < sizes.inner; ++i) {
        if (is_detected[outer * sizes.inner + i]) {
          AddDetectedPair(baseline[row + i], variant[row + i]);
        }
      }
    }
  }
}

void HeadCounts::AddDetectedValues(std::span<const float> baseline, std::span<const float> variant,
                                   const std::vector<bool>& is_detected) {
  has_element_scores = true;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    if (is_detected[i]) AddDetectedPair(baseline[i], variant[i]);
  }
}

void HeadCounts::AddDetectedPair(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  ++detected_count;
  detected_sum += x - shift;
  detected_squares += (x - shift) * (x - shift);
  detected_error += (x - y) * (x - y);
}

double HeadCounts::DetectedSqnrDb() const {
  if (detected_count == 0) return std::numeric_limits<double>::quiet_NaN();
  const double mean_squares = detected_sum * detected_sum / static_cast<double>(detected_count);
  return Ratio(detected_squares - mean_squares, detected_error);
}

double HeadCounts::Variance() const {
  if (count == 0) return 0;
  return std::max(0.0, sum_squares - sum * sum / static_cast<double>(count));
}

double HeadCounts::SqnrDb() const {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  return Ratio(sum_energy, sum_squared_error);
}

double HeadCounts::VaryingSqnrDb() const {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  return Ratio(Variance(), sum_squared_error);
}

}  // namespace cboard::compare
