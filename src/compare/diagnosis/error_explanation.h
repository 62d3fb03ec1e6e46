// Finds the cause of a tensor's error.
#pragma once

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Sets cause and explanation: the first cause that leaves little of the error when it is undone, or
// kChanged. The SQNRs are those of the tensor and of its worst channel, in dB. `is_coarse`: the
// error is too large; otherwise only clipping or a shift is larger than usual.
void ExplainError(const Evidence& evidence, double sqnr_db, double worst_channel_db, bool is_coarse,
                  Diagnosis& diagnosis);

}  // namespace cboard::compare
