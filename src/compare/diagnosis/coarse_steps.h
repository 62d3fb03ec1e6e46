// Explains errors of tensors whose quantization step is too large for most values.
#pragma once

#include <string>

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Sets cause and explanation of a diagnosis whose error is mostly rounding: the range is wider than
// the values, channels differ much in size, or there are outliers. `knows_channels` is true if each
// channel has enough values to measure its typical magnitude. `is_about_channel` is true if the
// worst channel has a much lower SQNR than the whole tensor.
void ExplainCoarseSteps(const Evidence& evidence, bool knows_channels, bool is_about_channel,
                        Diagnosis& diagnosis);

// Returns the word for the tensor's values: "weights" or "values".
std::string SubjectOf(const Evidence& evidence);

}  // namespace cboard::compare
