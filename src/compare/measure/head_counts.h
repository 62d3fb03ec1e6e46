// Counts statistics over the values of one head (one output or a range of its channels): sums,
// extremes, decisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compare/measure/kept_answers.h"

namespace cboard::compare {

// Score thresholds for detections, in the order of the array. Detectors are usually deployed with
// 0.5 or 0.25, and never below 0.05.
inline constexpr std::array<double, 4> kScoreThresholds = {0.5, 0.25, 0.1, 0.05};

struct HeadCounts {
  static constexpr std::size_t kMaxDistinct = 4;

  std::size_t first_channel = 0, channel_count = 0;
  std::string made_by;
  // True for values that cannot be scores, even if they are between 0 and 1: features, and outputs
  // of a Conv or MatMul.
  bool is_no_score = false;

  // Number of pairs (baseline, variant) with finite values.
  std::uint64_t count = 0;
  double shift = 0;                 // The first value; sums of `value - shift` are more precise.
  double sum = 0, sum_squares = 0;  // Sums of the baseline's values minus `shift`.
  double sum_energy = 0;            // Σx² of the baseline.
  double sum_squared_error = 0;
  double baseline_min = std::numeric_limits<double>::infinity();
  double baseline_max = -std::numeric_limits<double>::infinity();
  double variant_min = std::numeric_limits<double>::infinity();
  double variant_max = -std::numeric_limits<double>::infinity();
  std::uint64_t became_not_finite = 0;
  std::set<float> variant_values;  // Distinct values, at most kMaxDistinct.

  // Tells whether a head depends on the input: compares digests of its values in each sample.
  struct SampleDigests {
    std::optional<std::uint64_t> first;
    bool differ = false;

    void Add(std::uint64_t digest);
  };
  std::size_t samples = 0;
  SampleDigests baseline_digests, variant_digests;

  // Number of positions, and of positions at which the baseline's channels sum to one.
  std::uint64_t positions = 0, sums_of_one = 0;

  // For each channel: the number of positions at which this channel is the largest one in the
  // baseline, in the compressed model, and in both. Only positions with a clear decision in the
  // baseline count. If n channels are equally large, each of them counts as 1/n.
  struct Answers {
    double baseline = 0, variant = 0, both = 0;
  };
  std::map<std::size_t, Answers> answers;
  std::uint64_t clear_positions = 0;

  // Number of positions with the same largest channel in both models, and the margins of the first
  // kMaxMargins positions. `margin` is the distance between the two largest channels in the
  // baseline, `loss` is the part of it that the compressed model loses. The largest channel changes
  // if `loss` exceeds `margin`. Both are relative to the distance between the largest channel and
  // the mean.
  static constexpr std::size_t kMaxMargins = 65'536;
  struct Margin {
    float margin = 0, loss = 0;
  };
  std::uint64_t same_positions = 0;
  std::vector<Margin> margins;

  // For each threshold: the number of baseline scores that reach the threshold, and how many of
  // these scores reach at least half of the threshold in the compressed model; also the same with
  // the models exchanged. Half of the threshold is used so that small changes of scores near the
  // threshold are ignored.
  struct Detections {
    std::uint64_t baseline = 0, kept = 0, variant = 0, right = 0;
  };
  std::array<Detections, kScoreThresholds.size()> detections;

  // Feature vectors and labels are stored only for outputs with one head.
  FeatureVectors vectors;
  LabelSequences labels;

  // Values at the positions of detections (positions with a high score in the baseline), for
  // example their boxes.
  std::uint64_t detected_count = 0;
  bool has_element_scores = false;  // Each value has its own score.
  double detected_sum = 0, detected_squares = 0, detected_error = 0;

  // Adds the values of one sample. Both tensors have the sizes `sizes`.
  void Add(std::span<const float> baseline, std::span<const float> variant,
           const ChannelSizes& sizes);

  // Returns true if the baseline's values so far may be probabilities or scores.
  bool MayBeScores() const {
    return !is_no_score && count > 0 && baseline_min >= -1e-6 && baseline_max <= 1 + 1e-6;
  }

  // Adds statistics of the values at the positions marked in `is_detected`, which has outer * inner
  // entries.
  void AddDetected(std::span<const float> baseline, std::span<const float> variant,
                   const ChannelSizes& sizes, const std::vector<bool>& is_detected);

  // Adds statistics of the values marked in `is_detected`.
  void AddDetectedValues(std::span<const float> baseline, std::span<const float> variant,
                         const std::vector<bool>& is_detected);

  // Returns true if the compressed model gives the same values for all samples, and the baseline
  // does not. Two equal samples may be chance.
  bool IgnoresInput() const {
    constexpr std::size_t kMinSamples = 3;
    return samples >= kMinSamples && baseline_digests.differ && !variant_digests.differ;
  }

  double Variance() const;  // Variance times `count`.
  double SqnrDb() const;
  double VaryingSqnrDb() const;
  double DetectedSqnrDb() const;  // SQNR of the values added by AddDetected.

 private:
  void AddDetectedPair(double x, double y);
  void AddValues(float x, float y);
  void AddPositions(std::span<const float> baseline, std::span<const float> variant,
                    const ChannelSizes& sizes, std::size_t outer,
                    std::vector<std::uint32_t>& our_labels,
                    std::vector<std::uint32_t>& their_labels);
};

}  // namespace cboard::compare
