// Explains why the steps of a scale are too large for most values that share it.
#pragma once

#include <string>

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Sets cause and explanation of an error that is mostly rounding: an unused range, channels of very
// different size, or outliers. `knows_channels`: each channel has enough values to tell its size.
// `is_about_channel`: the worst channel is much worse than the whole tensor.
void ExplainCoarseSteps(const Evidence& evidence, bool knows_channels, bool is_about_channel,
                        Diagnosis& diagnosis);

// "weights" or "values".
std::string SubjectOf(const Evidence& evidence);

}  // namespace cboard::compare
