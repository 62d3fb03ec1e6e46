// Computes the agreement of both models on clear decisions.
#pragma once

#include <cstddef>

#include "compare/measure/head_counts.h"

namespace cboard::compare {

// Counts only positions with a clear decision, and returns the share of them at which both models
// choose the same class. One class may dominate, for example the blank label of a text recognizer
// or the background of a segmentation. Then the agreement of the other classes is used if it is
// lower.
struct AnswerAgreement {
  double share = 1;
  double changed = 0;  // Number of different decisions.
  std::size_t decisions = 0;
  bool is_of_others = false;  // Counts all classes except the most frequent one.
  double max_share = 1;      // Share of the most frequent class of the baseline.
};

AnswerAgreement AgreementOnAnswers(const HeadCounts& counts);

// Returns the expected share of equal classes if the errors of all positions are combined with the
// margins of all positions. A class changes if the error exceeds the margin. With few positions,
// this tells more than their classes: it includes errors that changed no class by chance.
//
// If `ignores_scale`, only the part of an error counts that is not explained by margins that all
// became smaller or larger by the same factor: such a factor changes no class.
double ExpectedAgreement(const HeadCounts& counts, bool ignores_scale = false);

}  // namespace cboard::compare
