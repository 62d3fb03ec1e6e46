// Limits of the verdict on the outputs of a model.
#pragma once

#include <cstddef>

namespace cboard::compare {

// Limits of the verdict. docs/compare.md has the experiments from which they are derived.
struct EndLimits {
  // Limits for the share of equal decisions (arg max). At least two decisions must differ, because
  // a single different decision may be a tie.
  double broken_agreement = 0.9;
  double degraded_agreement = 0.98;
  // Limits for the share of scores that are above the threshold in both models, among the scores
  // that are above it in one model.
  double broken_scores = 0.8;
  double degraded_scores = 0.95;
  // Limits for the share of features with the same nearest vector, and for the share of correct
  // characters in texts.
  double broken_vectors = 0.85;
  double degraded_vectors = 0.95;
  // Limits for the mean cosine between the features of both models.
  double broken_cosine = 0.85;
  double degraded_cosine = 0.95;
  std::size_t min_vectors = 10;
  std::size_t min_characters = 50;
  // SQNR limits in dB. The signal is the deviation from the mean.
  double broken_db = 10;        // The error is a third of the amplitude.
  double broken_scores_db = 6;  // The error is half of the amplitude.
  double broken_features_db = 3;
  double degraded_values_db = 20;  // The error is a tenth of the amplitude.
  // SQNR limits in dB for values at detections that are not boxes, for example logarithms of sizes,
  // distances, distributions. The limits come from experiments with three detectors: 95 % of the
  // detections stayed if the SQNR was at least 9 to 17 dB (depending on the detector), and 80 %
  // stayed if it was at least 7 to 11 dB.
  double broken_detected_db = 8;
  double degraded_detected_db = 14;
  // Limits for the share of boxes that overlap the baseline's box by at least one half.
  double broken_boxes = 0.85;
  double degraded_boxes = 0.95;
  // Boxes at detections are sound if they reach this SQNR, even if some of the boxes are small. In
  // an experiment with noise at an SQNR of 24 dB, 96 % of the detections stayed.
  double sound_boxes_db = 26;
  double degraded_logits_db = 26;
  double degraded_probabilities_db = 16;  // The error is a sixth of the amplitude.
  // On features or random samples, different decisions count only if the SQNR is below this limit.
  double unsure_db = 20;
  // Number of equal decisions that is enough: if none of this many decisions differs, less than 2 %
  // of all decisions differ, with 95 % confidence.
  std::size_t min_decisions = 150;
  // With fewer decisions than min_decisions, the margins of the decisions predict the agreement.
  // This needs some decisions, and no class may have more than this share of them: an output with
  // coordinates has the same largest channel in nearly all samples.
  std::size_t min_varied_decisions = 20;
  double max_most_frequent = 0.8;
  // Limits for the predicted agreement. It varies less between samples than the counted one.
  double sound_expected = 0.97;
  double broken_expected = 0.9;
  // With this many detections, their agreement decides without the SQNR, unless the numbers of
  // detections agree in less than this share: then scores are lower or higher everywhere.
  double same_detections = 0.9;
};

}  // namespace cboard::compare
