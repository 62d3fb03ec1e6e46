// Evaluates one head of an output by its use: arg max, text, scores, features, values.
#pragma once

#include "cboard/compare/end_verdict.h"
#include "compare/measure/end_outputs.h"
#include "compare/verdict/end_limits.h"

namespace cboard::compare {

// Evaluates `counts`, one of the heads of `end`. `is_beside_scores` is true if another output of
// the model has scores or probabilities.
HeadVerdict EvaluateHead(const EndFindings& end, const HeadCounts& counts, bool is_beside_scores,
                         bool is_generated, const EndLimits& limits);

// Evaluates an output of integers.
HeadVerdict EvaluateLabels(const EndFindings& end, const EndLimits& limits);

}  // namespace cboard::compare
