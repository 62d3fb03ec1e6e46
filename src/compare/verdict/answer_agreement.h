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
};

AnswerAgreement AgreementOnAnswers(const HeadCounts& counts);

}  // namespace cboard::compare
