// Why the steps of a scale are too large for most of the values that share it.
#pragma once

#include <string>

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Sets cause and explanation, for an error that is mostly rounding: a range that no value needs,
// channels of very different size, or outliers. `knows_channels`: there are enough values of each
// to tell its size. `is_about_channel`: the worst one is much worse than the whole.
void ExplainCoarseSteps(const Evidence& evidence, bool knows_channels, bool is_about_channel,
                        Diagnosis& diagnosis);

// "weights" or "values".
std::string SubjectOf(const Evidence& evidence);

}  // namespace cboard::compare
