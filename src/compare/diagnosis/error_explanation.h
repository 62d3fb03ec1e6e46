// Finds the cause of a tensor's error.
#pragma once

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Sets cause and explanation of `diagnosis`. The causes are tried one after the other; the first
// one that leaves only a small residual is taken, or kChanged if none does. `sqnr_db` is the SQNR
// of the tensor, `worst_channel_db` is the SQNR of its worst channel. If `is_coarse` is false, the
// error is small, and only clipping or a shift of the mean is reported.
void ExplainError(const Evidence& evidence, double sqnr_db, double worst_channel_db, bool is_coarse,
                  Diagnosis& diagnosis);

}  // namespace cboard::compare
