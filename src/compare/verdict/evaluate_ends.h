// Computes the verdict from the measurements at the outputs of the network.
#pragma once

#include <vector>

#include "cboard/compare/end_verdict.h"
#include "compare/measure/end_outputs.h"

namespace cboard::compare {

// Limits of the verdict; docs/compare.md has the experiments that they come from.
struct EndLimits {
  // Arg max agreement. More than one decision must differ: one may be a tie.
  double broken_agreement = 0.9;
  double degraded_agreement = 0.98;
  // Scores above the threshold in both models, as a share of those in either.
  double broken_scores = 0.8;
  double degraded_scores = 0.95;
  // Nearest vectors of features, and characters of text.
  double broken_vectors = 0.85;
  double degraded_vectors = 0.95;
  // Mean cosine of features with those of the baseline.
  double broken_cosine = 0.85;
  double degraded_cosine = 0.95;
  std::size_t min_vectors = 10;
  std::size_t min_characters = 50;
  // SQNR of what varies, in dB.
  double broken_db = 10;        // A third of the amplitude is error.
  double broken_scores_db = 6;  // Half of it is.
  double broken_features_db = 3;
  double degraded_values_db = 16;  // A sixth of the amplitude.
  double degraded_logits_db = 26;
  double degraded_probabilities_db = 16;
  // Below it, changed answers of features and noise count.
  double unsure_db = 20;
  // Without a change among this many answers, less than 2 % differ with 95 % confidence.
  std::size_t min_decisions = 150;
};

// A verdict without suspects. `source` says where the samples are from.
EndVerdict EvaluateEnds(const std::vector<EndFindings>& ends, std::size_t samples,
                        bool is_generated, const std::string& source, const EndLimits& limits = {});

}  // namespace cboard::compare
