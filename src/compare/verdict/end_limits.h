// Limits of the verdict on the outputs of a model.
#pragma once

#include <cstddef>

namespace cboard::compare {

// Limits of the verdict. docs/compare.md has the experiments from which they are derived.
struct EndLimits {
  // Share of equal decisions (arg max). At least two decisions must differ, because one may be a
  // tie.
  double broken_agreement = 0.9;
  double degraded_agreement = 0.98;
  // Share of scores above the threshold in one model that are also above it in the other model.
  double broken_scores = 0.8;
  double degraded_scores = 0.95;
  // Share of features whose nearest vector is the same, and share of correct characters in texts.
  double broken_vectors = 0.85;
  double degraded_vectors = 0.95;
  // Mean cosine between the features of both models.
  double broken_cosine = 0.85;
  double degraded_cosine = 0.95;
  std::size_t min_vectors = 10;
  std::size_t min_characters = 50;
  // SQNR in dB, where the signal is the deviation from the mean.
  double broken_db = 10;        // The error is a third of the amplitude.
  double broken_scores_db = 6;  // The error is half of the amplitude.
  double broken_features_db = 3;
  double degraded_values_db = 20;  // The error is a tenth of the amplitude.
  // SQNR limits for values at detections that are not boxes (for example logarithms of sizes,
  // distances, distributions). They are measured: with three detectors, 95 % of the detections
  // stayed at 9 to 17 dB and more, and 80 % at 7 to 11 dB and more.
  double broken_detected_db = 8;
  double degraded_detected_db = 14;
  // Share of boxes whose overlap with the baseline's box is at least one half.
  double broken_boxes = 0.85;
  double degraded_boxes = 0.95;
  // Boxes with this SQNR at detections are sound, however small some of them are: with noise that
  // leaves 24 dB, 96 % of the detections stayed.
  double sound_boxes_db = 26;
  double degraded_logits_db = 26;
  double degraded_probabilities_db = 16;  // The error is a sixth of the amplitude.
  // Different decisions on features or random samples count only below this SQNR.
  double unsure_db = 20;
  // If none of this many decisions differs, less than 2 % of all decisions differ with 95 %
  // confidence.
  std::size_t min_decisions = 150;
  // With this many detections, their agreement decides without the SQNR, unless the numbers of
  // detections agree in less than this share: then scores are lower or higher everywhere.
  double same_detections = 0.9;
};

}  // namespace cboard::compare
