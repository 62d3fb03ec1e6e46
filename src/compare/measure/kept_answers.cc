#include "compare/measure/kept_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace cboard::compare {
namespace {

constexpr std::size_t kMaxPositionsOfSample = 8, kMaxVectors = 160;
// Vectors of different samples with at least this cosine are too similar to have a clear nearest
// neighbour.
constexpr double kSameCosine = 0.9995;
// Vectors count as normalized if their L2 norms differ by less than this share.
constexpr double kOneLength = 0.02;

// A text output has at least this many channels: letters, a space and a blank label.
constexpr std::size_t kMinTextChannels = 20;
constexpr std::size_t kMinCharacters = 10;
constexpr std::size_t kMaxSequencePositions = 4096, kMaxAllPositions = std::size_t{1} << 20;
constexpr double kMinBlankShare = 0.35, kMaxBlankShare = 0.99;
// Maximum mean number of consecutive positions with the same label: text recognizers give each
// character at one or two positions.
constexpr double kMaxRun = 2.5;

double Dot(std::span<const float> a, std::span<const float> b) {
  // Sums four floats in parallel. The precision of float is enough for a cosine.
  float sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return double{sums[0]} + sums[1] + sums[2] + sums[3];
}

// Scales the values to an L2 norm of 1. Returns the L2 norm before scaling.
double Normalize(std::vector<float>& values) {
  const double length =
      std::sqrt(std::accumulate(values.begin(), values.end(), 0.0, [](double sum, float value) {
        return sum + double{value} * value;
      }));
  if (!(length > 0) || !std::isfinite(length)) {
    std::ranges::fill(values, 0.f);
    return 0;
  }
  for (float& value : values) value = static_cast<float>(value / length);
  return length;
}

std::vector<std::uint32_t> Collapsed(const std::vector<std::uint32_t>& labels,
                                     std::uint32_t blank) {
  std::vector<std::uint32_t> text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_repeated = i > 0 && labels[i] == labels[i - 1];
    if (labels[i] != blank && !is_repeated) text.push_back(labels[i]);
  }
  return text;
}

std::size_t EditDistance(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

void FeatureVectors::Add(std::span<const float> baseline, std::span<const float> variant,
                         const ChannelSizes& sizes) {
  const std::size_t sample = samples_++;
  if (sizes.channels < kMinChannels || sizes.channels > kMaxChannels) return;
  const std::size_t positions = sizes.outer * sizes.inner;
  const std::size_t kept = std::min(positions, kMaxPositionsOfSample);
  for (std::size_t k = 0; k < kept && vectors_.size() < kMaxVectors; ++k) {
    const std::size_t position = k * positions / kept;
    const std::size_t outer = position / sizes.inner, inner = position % sizes.inner;
    Vector vector{.sample = sample, .position = position, .baseline = {}, .variant = {}};
    for (std::size_t c = 0; c < sizes.channels; ++c) {
      const std::size_t at = (outer * sizes.channels + c) * sizes.inner + inner;
      vector.baseline.push_back(baseline[at]);
      vector.variant.push_back(variant[at]);
    }
    vector.baseline_length = Normalize(vector.baseline);
    Normalize(vector.variant);
    if (vector.baseline_length > 0) vectors_.push_back(std::move(vector));
  }
}

FeatureVectors::Agreement FeatureVectors::Compare() const {
  Agreement found;
  double cosines = 0;
  for (const Vector& vector : vectors_) {
    const double own = Dot(vector.variant, vector.baseline);
    cosines += own;
    // Compares only with vectors of other samples, because the vectors at different positions of
    // one sample are similar. If there is only one batch, each position counts as a sample.
    bool has_others = false, is_unique = true, is_same = own > 0;
    for (const Vector& other : vectors_) {
      if (samples_ > 1 ? other.sample == vector.sample : other.position == vector.position) {
        continue;
      }
      has_others = true;
      if (Dot(vector.baseline, other.baseline) > kSameCosine) {
        is_unique = false;
        break;
      }
      if (is_same && Dot(vector.variant, other.baseline) > own) is_same = false;
    }
    if (!has_others || !is_unique) continue;
    ++found.vectors;
    if (is_same) ++found.same;
  }
  found.mean_cosine = vectors_.empty() ? std::numeric_limits<double>::quiet_NaN()
                                       : cosines / static_cast<double>(vectors_.size());
  return found;
}

bool FeatureVectors::HaveOneLength() const {
  if (vectors_.size() < 2) return false;
  const auto [least, most] = std::ranges::minmax(vectors_, {}, &Vector::baseline_length);
  return most.baseline_length - least.baseline_length < kOneLength * most.baseline_length;
}

void LabelSequences::Add(std::vector<std::uint32_t> baseline, std::vector<std::uint32_t> variant) {
  if (baseline.size() > kMaxSequencePositions) return;
  if (positions_ + baseline.size() > kMaxAllPositions) return;
  positions_ += baseline.size();
  sequences_.push_back({std::move(baseline), std::move(variant)});
}

std::optional<LabelSequences::Text> LabelSequences::ReadAsText(std::size_t channels) const {
  if (channels < kMinTextChannels || positions_ == 0) return std::nullopt;
  std::map<std::uint32_t, std::size_t> counts;
  for (const Pair& pair : sequences_) {
    for (const std::uint32_t label : pair.baseline) ++counts[label];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  const std::uint32_t blank = most->first;
  const double share = static_cast<double>(most->second) / static_cast<double>(positions_);
  if (blank != 0 && blank + std::size_t{1} != channels) return std::nullopt;
  if (share < kMinBlankShare || share > kMaxBlankShare) return std::nullopt;
  Text text;
  for (const Pair& pair : sequences_) {
    const auto ours = Collapsed(pair.baseline, blank), theirs = Collapsed(pair.variant, blank);
    text.characters += ours.size();
    text.errors += std::min(EditDistance(ours, theirs), ours.size());
  }
  if (text.characters < kMinCharacters) return std::nullopt;
  const double run =
      static_cast<double>(positions_ - most->second) / static_cast<double>(text.characters);
  return run > kMaxRun ? std::nullopt : std::optional(text);
}

}  // namespace cboard::compare
