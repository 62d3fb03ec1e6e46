// Counts over the values of a head: sums, extremes, decisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compare/measure/kept_answers.h"

namespace cboard::compare {

// Thresholds for detections, in order of preference. Detectors are deployed with 0.5 and 0.25;
// nobody uses less than 0.05.
inline constexpr std::array<double, 4> kScoreThresholds = {0.5, 0.25, 0.1, 0.05};

struct HeadCounts {
  static constexpr std::size_t kMaxDistinct = 4;

  std::size_t first_channel = 0, channel_count = 0;
  std::string made_by;

  // Number of finite pairs.
  std::uint64_t count = 0;
  double shift = 0;  // The first value: sums are taken around it, which keeps them exact.
  double sum = 0, sum_squares = 0;  // Over the baseline's values minus `shift`.
  double sum_energy = 0;            // Σx².
  double sum_squared_error = 0;
  double baseline_min = std::numeric_limits<double>::infinity();
  double baseline_max = -std::numeric_limits<double>::infinity();
  double variant_min = std::numeric_limits<double>::infinity();
  double variant_max = -std::numeric_limits<double>::infinity();
  std::uint64_t became_not_finite = 0;
  std::set<float> variant_values;  // Different ones; no more than kMaxDistinct.

  // Positions, and those where the channels of the baseline sum to one.
  std::uint64_t positions = 0, sums_of_one = 0;

  // Positions with a clear arg max in the baseline. By channel: how often it is the arg max of the
  // baseline, of the compressed model, of both. A tie of n channels counts as 1/n for each.
  struct Answers {
    double baseline = 0, variant = 0, both = 0;
  };
  std::map<std::size_t, Answers> answers;
  std::uint64_t clear_positions = 0;

  // All positions, clear or not: those with the same largest channel, and margins of the first
  // kMaxMargins. A margin is the distance of the largest channel to the second one, and `loss` how
  // much of it the compressed model loses; the largest channel changes if `loss` exceeds `margin`.
  // Both are relative to the distance of the largest channel to the mean.
  static constexpr std::size_t kMaxMargins = 65'536;
  struct Margin {
    float margin = 0, loss = 0;
  };
  std::uint64_t same_positions = 0;
  std::vector<Margin> margins;

  // For each threshold: scores of the baseline at or above it, those of them that the compressed
  // model puts at half of it or higher, and the same the other way around. The factor of two keeps
  // scores that lie next to the threshold from counting as changed.
  struct Detections {
    std::uint64_t baseline = 0, kept = 0, variant = 0, right = 0;
  };
  std::array<Detections, kScoreThresholds.size()> detections;

  // Vectors of an output with one head.
  FeatureVectors vectors;
  LabelSequences labels;

  // Values at positions that the baseline's scores call detections: the boxes people look at.
  std::uint64_t detected_count = 0;
  bool has_element_scores = false;  // Each value has a score of its own.
  double detected_sum = 0, detected_squares = 0, detected_error = 0;

  // Both tensors have these sizes.
  void Add(std::span<const float> baseline, std::span<const float> variant,
           const ChannelSizes& sizes);

  // True if the baseline's values so far can be probabilities or scores.
  bool IsBetweenZeroAndOne() const {
    return count > 0 && baseline_min >= -1e-6 && baseline_max <= 1 + 1e-6;
  }

  // Counts the positions, of outer times inner, that are marked.
  void AddDetected(std::span<const float> baseline, std::span<const float> variant,
                   const ChannelSizes& sizes, const std::vector<bool>& is_detected);

  // Counts the values that are marked.
  void AddDetectedValues(std::span<const float> baseline, std::span<const float> variant,
                         const std::vector<bool>& is_detected);

  double Variance() const;  // Times `count`.
  double SqnrDb() const;
  double VaryingSqnrDb() const;
  double DetectedSqnrDb() const;  // Likewise, of what AddDetected counted.

 private:
  void AddDetectedPair(double x, double y);
  void AddValues(float x, float y);
  void AddPositions(std::span<const float> baseline, std::span<const float> variant,
                    const ChannelSizes& sizes, std::size_t outer,
                    std::vector<std::uint32_t>& our_labels,
                    std::vector<std::uint32_t>& their_labels);
};

}  // namespace cboard::compare
