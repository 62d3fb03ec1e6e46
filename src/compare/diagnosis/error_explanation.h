// Which fault explains the error of a tensor.
#pragma once

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Sets cause and explanation: the first fault that leaves little of the error when it is undone,
// or kChanged. The SQNRs are those of the tensor and of its worst channel, in dB. `is_coarse`:
// there is too much error; otherwise, only what is clipped or shifted was found to be more than
// usual.
void ExplainError(const Evidence& evidence, double sqnr_db, double worst_channel_db, bool is_coarse,
                  Diagnosis& diagnosis);

}  // namespace cboard::compare
