// Computes the verdict from statistics of the model's outputs.
#pragma once

#include <vector>

#include "cboard/compare/end_verdict.h"
#include "compare/measure/end_outputs.h"
#include "compare/verdict/end_limits.h"

namespace cboard::compare {

// Returns the verdict, without root causes. `source` says where the samples are from.
EndVerdict EvaluateEnds(const std::vector<EndFindings>& ends, std::size_t samples,
                        bool is_generated, const std::string& source, const EndLimits& limits = {});

}  // namespace cboard::compare
